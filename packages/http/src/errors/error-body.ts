import { jsonTextFault } from "@tinkex/base";
import { MAX_ERROR_BYTES } from "../body/body-pieces.js";
import { blotOut } from "../hooks/secrets.js";
import { shownText } from "../hooks/shown-text.js";
import { jsonExcerpt } from "./json-excerpt.js";

/** Longest excerpt of a body that is not JSON, in characters. */
const MAX_TEXT = 200;
/** Longest excerpt of a JSON body within a message, in characters. */
const MAX_JSON_IN_MESSAGE = 500;
/** So much of a body that is not JSON is looked through for secrets, that none is cut in two and missed. */
const MAX_LOOKED_AT = 64 * 1024;

/** Content of an error's body, without the secrets. */
export interface ErrorBody {
  /** Parsed JSON, or text cut to 200 characters. */
  readonly value: unknown;
  /** The same for a message, control characters escaped; empty when the body says nothing. */
  readonly summary: string;
}

/** Reads the body of an error answer: the API's JSON, a gateway's page, or nothing. Never throws. */
export function readErrorBody(body: Uint8Array, secrets: readonly string[] = []): ErrorBody {
  return readErrorText(new TextDecoder().decode(body.subarray(0, MAX_ERROR_BYTES)), secrets);
}

/** Does the same for a string. Of a long one the beginning counts. */
export function readErrorText(whole: string, secrets: readonly string[] = []): ErrorBody {
  const text = whole.slice(0, MAX_ERROR_BYTES).trim();
  const parsed = parsedJson(text);
  if (parsed === undefined) {
    const excerpt = shorten(blotOut(text.slice(0, MAX_LOOKED_AT), secrets), MAX_TEXT);
    return { value: excerpt, summary: shownText(excerpt.replace(/\s+/g, " "), secrets) };
  }
  const value = withoutEchoedInput(parsed.value, secrets);
  return { value, summary: shorten(shownText(summaryOf(value), secrets), MAX_JSON_IN_MESSAGE) };
}

/** `undefined` for what is no JSON, or nested deeper than any error. */
function parsedJson(text: string): { readonly value: unknown } | undefined {
  if (jsonTextFault(text) !== undefined) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The API says what is wrong in `detail`: a string, or an array of places and faults. */
function summaryOf(value: unknown): string {
  const detail = field(value, "detail") ?? field(value, "error") ?? field(value, "message") ?? value;
  if (typeof detail === "string") return detail;
  if (!Array.isArray(detail) || detail.length === 0) return jsonExcerpt(detail, MAX_JSON_IN_MESSAGE);
  let summary = "";
  for (const entry of detail) {
    if (summary.length > MAX_JSON_IN_MESSAGE) break;
    summary += `${summary === "" ? "" : "; "}${faultOf(entry)}`;
  }
  return summary;
}

function faultOf(entry: unknown): string {
  const place = field(entry, "loc");
  const message = field(entry, "msg");
  if (!Array.isArray(place) || typeof message !== "string") return jsonExcerpt(entry, MAX_JSON_IN_MESSAGE);
  const path = place
    .slice(0, MAX_JSON_IN_MESSAGE)
    .map((step) => jsonExcerpt(step, MAX_JSON_IN_MESSAGE, true));
  return `${path.join(".")}: ${message}`;
}

/**
 * The value without the secrets. A refused body is echoed back under `input` and `ctx`; it may be a prompt, so it does not
 * stay on the error.
 */
function withoutEchoedInput(value: unknown, secrets: readonly string[]): unknown {
  const clean = (member: unknown): unknown => {
    if (typeof member === "string") return blotOut(member, secrets);
    if (typeof member !== "object" || member === null) return member;
    if (Array.isArray(member)) return member.map(clean);
    return Object.fromEntries(
      Object.entries(member).map(([name, inner]) => [blotOut(name, secrets), clean(inner)]),
    );
  };
  const detail = field(value, "detail");
  if (typeof value !== "object" || !Array.isArray(detail)) return clean(value);
  return clean({ ...value, detail: detail.map(withoutInput) });
}

function withoutInput(entry: unknown): unknown {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([name]) => name !== "input" && name !== "ctx"));
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}
