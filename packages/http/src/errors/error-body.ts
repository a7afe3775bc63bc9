import { redact } from "../hooks/secrets.js";

/** Longest excerpt of a body that is not JSON, in characters. */
const MOST_TEXT = 200;
/** Longest excerpt of a JSON body within a message, in characters. */
const MOST_JSON_IN_MESSAGE = 500;

/** What an error's body tells. */
export interface ErrorBody {
  /** Parsed JSON, or text cut to 200 characters. */
  readonly value: unknown;
  /** The same for a message; empty when the body says nothing. */
  readonly summary: string;
}

/** Reads the body of an error answer: the API's JSON, a gateway's page, or nothing. Never throws. */
export function readErrorBody(body: Uint8Array, secrets: readonly string[] = []): ErrorBody {
  const text = redact(new TextDecoder().decode(body).trim(), secrets);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    const excerpt = shorten(text, MOST_TEXT);
    return { value: excerpt, summary: excerpt.replace(/\s+/g, " ") };
  }
  const value = withoutEchoedInput(parsed);
  return { value, summary: shorten(summaryOf(value), MOST_JSON_IN_MESSAGE) };
}

/** The API says what is wrong in `detail`: a text, or a list of places and faults. */
function summaryOf(value: unknown): string {
  const detail = field(value, "detail") ?? field(value, "error") ?? field(value, "message") ?? value;
  if (typeof detail === "string") return detail;
  if (!Array.isArray(detail) || detail.length === 0) return JSON.stringify(detail);
  return detail
    .map((entry: unknown) => {
      const place = field(entry, "loc");
      const message = field(entry, "msg");
      return Array.isArray(place) && typeof message === "string"
        ? `${place.join(".")}: ${message}`
        : JSON.stringify(entry);
    })
    .join("; ");
}

/** A refused body is echoed back under `input` and `ctx`. It may be a prompt, so it does not stay on the error. */
function withoutEchoedInput(value: unknown): unknown {
  const detail = field(value, "detail");
  if (!Array.isArray(detail) || typeof value !== "object") return value;
  return {
    ...value,
    detail: detail.map((entry: unknown) => {
      if (typeof entry !== "object" || entry === null) return entry;
      return Object.fromEntries(Object.entries(entry).filter(([name]) => name !== "input" && name !== "ctx"));
    }),
  };
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
