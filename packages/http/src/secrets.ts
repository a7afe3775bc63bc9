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

/** The credentials among a request's headers. */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    SECRET_HEADERS.has(name) && value.length >= SHORTEST_SECRET ? [value] : [],
  );
}

/** The text without the secrets: a server may quote the key it refuses. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, "[redacted]");
  return clean;
}
