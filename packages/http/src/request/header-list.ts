import { ValidationError } from "@tinkex/base";

/**
 * Lower-case names and their values in turn, as undici takes them. An object instead of this list costs some five
 * microseconds a request, a tenth of what the whole request costs.
 */
export type HeaderList = readonly string[];

// One class, anchored at both ends: every character is looked at once.
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const BAD_VALUE = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/;

/** Tells whether a request may carry a header: HTTP allows few characters in a name, and no control characters in a value. */
export function isHeader(name: string, value: string): boolean {
  return (
    typeof name === "string" &&
    typeof value === "string" &&
    (GOOD_NAMES.has(name) || isHeaderName(name)) &&
    !BAD_VALUE.test(value)
  );
}

/** Names that were found good: there are few, and each goes with thousands of requests. */
const GOOD_NAMES = new Set<string>();
const MAX_GOOD_NAMES = 200;

function isHeaderName(name: string): boolean {
  if (!NAME.test(name.toLowerCase())) return false;
  if (GOOD_NAMES.size < MAX_GOOD_NAMES) GOOD_NAMES.add(name);
  return true;
}

/** Headers that say how a connection carries a request, which only the transport knows. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Finds the value of a header. */
export function headerOf(list: HeaderList, name: string): string | undefined {
  for (let i = 0; i < list.length; i += 2) if (list[i] === name) return list[i + 1];
  return undefined;
}

/** Sets a header in place; a second value replaces the first. */
export function setHeader(list: string[], name: string, value: string): void {
  for (let i = 0; i < list.length; i += 2) {
    if (list[i] === name) {
      list[i + 1] = value;
      return;
    }
  }
  list.push(name, value);
}

/** Keeps the headers whose names `keep` accepts. */
export function filterHeaders(list: HeaderList, keep: (name: string) => boolean): string[] {
  return list.filter((_, i) => keep(list[i - (i % 2)] ?? ""));
}

/**
 * Sets headers as a user gives them, whatever the case of their names.
 *
 * @throws ValidationError for a name or value that no request may carry, or that only the transport can know; the value is not
 *   shown, it may be secret
 */
export function setGivenHeaders(list: string[], given: Readonly<Record<string, string>> | undefined): void {
  if (given === undefined) return;
  // No list of entries is made: this runs for every request.
  for (const anyCase in given) {
    if (!Object.hasOwn(given, anyCase)) continue;
    const value = given[anyCase];
    const name = anyCase.toLowerCase();
    if (value === undefined || !isHeader(name, value)) {
      throw new ValidationError(
        `the header ${JSON.stringify(anyCase)} has a character that is not allowed in its name or value`,
        { path: ["headers", anyCase] },
      );
    }
    if (CONNECTION_HEADERS.has(name)) {
      throw new ValidationError(
        `the header ${JSON.stringify(anyCase)} is set by the transport, which alone knows how a request is sent; leave it out`,
        { path: ["headers", anyCase] },
      );
    }
    setHeader(list, name, value);
  }
}
