/** Value of a query parameter; null, undefined and the empty string leave it out. */
export type QueryValue = string | number | boolean | bigint | null | undefined | readonly (string | number)[];

/** Writes the query string of a request without the `?`: booleans as `true` and `false`, arrays joined with commas, form encoding. */
export function encodeQuery(parameters: Readonly<Record<string, QueryValue>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    const text = Array.isArray(value) ? value.join(",") : String(value ?? "");
    if (text !== "") query.append(name, text);
  }
  return query.toString();
}
