import type { HeaderList } from "../request/header-list.js";

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
const SHORTEST_SECRET = 6;

/** Whether a text is long enough to be looked for in messages. */
export function isSecret(text: string): boolean {
  return text.length >= SHORTEST_SECRET;
}

/** The credentials among a request's headers. */
export function secretsIn(headers: HeaderList): string[] {
  const values: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const [name = "", value = ""] = headers.slice(i, i + 2);
    if (SECRET_HEADERS.has(name) && isSecret(value)) values.push(value);
  }
  return values;
}

/** The text without the secrets: a server may quote the key it refuses. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, "[redacted]");
  return clean;
}
