import { checkString, ValidationError } from "@tinkex/base";
import * as z from "zod";

/**
 * A moment as the API writes it: RFC 3339 text with `T` or a blank, any offset (none means UTC), any number of fraction
 * digits; or a date alone. The text is kept as it came, so that nothing is lost when it is sent back.
 */
export type Timestamp = string;

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(\.\d+)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Numbers above this are milliseconds, others seconds since 1970. */
const MAX_SECONDS = 2e10;

/** Reads {@link Timestamp}s. */
export const Timestamp = {
  /**
   * Gives the moment as a `Date`, which holds milliseconds; further digits are cut off.
   *
   * @throws ValidationError when the text is not a timestamp
   */
  toDate(text: Timestamp): Date {
    checkString(text, "Timestamp.toDate: text", "2026-01-02T03:04:05Z");
    const date = parseTimestamp(text);
    if (date === undefined)
      throw new ValidationError(`"${text}" is not a timestamp (RFC 3339, e.g. 2026-01-02T03:04:05Z)`);
    return date;
  },
} as const;

function parseTimestamp(text: string): Date | undefined {
  const match = RFC_3339.exec(text.trim());
  if (match === null) return undefined;
  const [, day = "", time = "00:00:00", fraction = "", zone = "Z"] = match;
  const milliseconds = fraction === "" ? "" : fraction.slice(0, 4);
  const date = new Date(`${day}T${time}${milliseconds}${normalZone(zone)}`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function normalZone(zone: string): string {
  if (zone.toUpperCase() === "Z") return "Z";
  return zone.includes(":") ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
}

function isTimestamp(text: string): boolean {
  return parseTimestamp(text) !== undefined;
}

/** A timestamp to be sent. */
export const sentTimestampSchema: z.ZodType<Timestamp, Timestamp> = z
  .string()
  .refine(isTimestamp, "must be an RFC 3339 time, e.g. 2026-01-02T03:04:05Z")
  .meta({ format: "date-time" });

/** A timestamp in an answer; Unix seconds or milliseconds are turned into text. */
export const timestampSchema: z.ZodType<Timestamp, Timestamp> = z.preprocess(
  (value) => {
    if (typeof value !== "number") return value;
    const date = new Date(Math.abs(value) > MAX_SECONDS ? value : value * 1000);
    return Number.isNaN(date.getTime()) ? value : date.toISOString();
  },
  z.string().refine(isTimestamp, "must be a timestamp").meta({ format: "date-time" }),
);
