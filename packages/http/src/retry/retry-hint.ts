import { checkObject } from "@tinkex/base";
import { parseHttpDate } from "./http-date.js";

/** Longest pause a server may impose, in milliseconds. */
export const MAX_HINT_MS = 60_000;

/** A pause a server asked for. */
export interface RetryHint {
  /** The pause we make, in milliseconds. */
  readonly delayMs: number;
  /** The pause it asked for, which may be longer, in milliseconds. */
  readonly askedMs: number;
}

/**
 * Reads `retry-after-ms` and `retry-after` (seconds, or a date). Longer pauses than a minute are cut to one. What is
 * zero, negative or unreadable is no hint. A `retry-after-ms` that is a number is the only one looked at.
 */
export function parseRetryHint(
  headers: Readonly<Record<string, string>>,
  nowMs: number,
): RetryHint | undefined {
  checkObject(headers, "parseRetryHint: headers", '{ "retry-after": "3" }');
  const askedMs =
    decimal(headers["retry-after-ms"]) ??
    secondsToMs(decimal(headers["retry-after"])) ??
    untilDateMs(headers["retry-after"], nowMs);
  if (askedMs === undefined || !(askedMs > 0)) return undefined;
  return { delayMs: Math.min(askedMs, MAX_HINT_MS), askedMs };
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const INFINITE = /^\+?inf(inity)?$/i;

/** Plain decimal numbers only: `Number` would take `0x10` and the empty text too. */
function decimal(text: string | undefined): number | undefined {
  const trimmed = typeof text === "string" ? text.trim() : "";
  if (INFINITE.test(trimmed)) return Number.POSITIVE_INFINITY;
  return DECIMAL.test(trimmed) ? Number(trimmed) : undefined;
}

function secondsToMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

function untilDateMs(text: string | undefined, nowMs: number): number | undefined {
  const at = typeof text === "string" ? parseHttpDate(text) : undefined;
  return at === undefined ? undefined : at - nowMs;
}
