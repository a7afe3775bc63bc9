import type { HeaderList } from "../request/header-list.js";
import { type PlainText, plainTexts } from "./plain-text.js";

/** Headers whose values are credentials. */
const SECRET_HEADERS = new Set([
  "x-api-key",
  "authorization",
  "proxy-authorization",
  "cookie",
  "cf-access-client-secret",
  "cf-access-client-id",
  "x-tinker-weights-access-token",
]);

/** Shorter values would blot out ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** Encodings one over the other that are looked through. */
const MAX_LAYERS = 3;

const BLOT = "[redacted]";

/** Tells whether a text is long enough to be looked for in messages. */
export function isSecret(text: string): boolean {
  return text.length >= MIN_SECRET_LENGTH;
}

/** Collects the credentials among a request's headers. */
export function secretsIn(headers: HeaderList): string[] {
  const values: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const [name = "", value = ""] = headers.slice(i, i + 2);
    if (!SECRET_HEADERS.has(name)) continue;
    // Of "Bearer …" the word itself is quoted as often as the whole.
    for (const secret of new Set([value, value.slice(value.indexOf(" ") + 1)])) {
      if (isSecret(secret)) values.push(secret);
    }
  }
  return values;
}

/**
 * Replaces the secrets in a text, for a server may quote the key it refuses: as it is or in another case, escaped as in JSON,
 * URLs and HTML, also several times over, in hexadecimal or in base64 at any offset, with control characters in between.
 */
export function blotOut(text: string, secrets: readonly string[]): string {
  const { forms, minLength } = formsOfAll(secrets);
  if (text.length < minLength) return text;
  const found: Range[] = [];
  for (const reading of plainTexts(text, MAX_LAYERS)) {
    const lower = lowerCase(reading.plain);
    for (const form of forms) addPlaces(form, reading, form.isCaseFree ? lower : reading.plain, found);
  }
  return found.length === 0 ? text : withoutRanges(text, found);
}

/** A way in which a secret may be written. */
interface Form {
  readonly text: string;
  readonly isCaseFree: boolean;
}

/** All forms of some secrets, and how long a text has to be to hold one. */
interface Forms {
  readonly forms: readonly Form[];
  readonly minLength: number;
}

/** An answer may hold many thousand texts, in each of which the same secrets are looked for. */
const knownForms = new WeakMap<readonly string[], Forms>();

function formsOfAll(secrets: readonly string[]): Forms {
  let known = knownForms.get(secrets);
  if (known === undefined) {
    const forms = secrets.flatMap(formsOf);
    const minLength = forms.reduce(
      (least, { text }) => Math.min(least, text.length),
      Number.POSITIVE_INFINITY,
    );
    known = { forms, minLength };
    knownForms.set(secrets, known);
  }
  return known;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Adds the places of a form one by one: a long text may quote a secret more often than a call may have arguments. */
function addPlaces(
  { text: form }: Form,
  { startOf, endOf }: PlainText,
  searched: string,
  found: Range[],
): void {
  for (let at = searched.indexOf(form); at !== -1; at = searched.indexOf(form, at + form.length)) {
    found.push({ start: startOf(at), end: endOf(at + form.length - 1) });
  }
}

function withoutRanges(text: string, ranges: Range[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start)) {
    if (start >= done) parts.push(text.slice(done, start), BLOT);
    done = Math.max(done, end);
  }
  return parts.join("") + text.slice(done);
}

/** In lower case, every character where it was: only ASCII letters matter, and a few others become two characters. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function formsOf(secret: string): Form[] {
  const bytes = Buffer.from(secret);
  const forms: Form[] = [
    { text: secret.toLowerCase(), isCaseFree: true },
    { text: bytes.toString("hex"), isCaseFree: true },
  ];
  // Within other text the secret may begin at any of three places of a group; its own first and last bits are then shared.
  for (const before of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const own = shifted.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 4) / 3));
    if (!isSecret(own)) continue;
    forms.push({ text: own, isCaseFree: false });
    const standard = own.replaceAll("-", "+").replaceAll("_", "/");
    if (standard !== own) forms.push({ text: standard, isCaseFree: false });
  }
  return forms;
}
