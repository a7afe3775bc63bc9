import { checkObject, describeValue, ValidationError } from "@tinkex/base";
/** Value of a query parameter; null, undefined and the empty string leave it out. */
export type QueryValue = string | number | boolean | bigint | null | undefined | readonly (string | number)[];

/** Writes the query string of a request without the `?`: booleans as `true` and `false`, arrays joined with commas, form encoding. */
export function encodeQuery(parameters: Readonly<Record<string, QueryValue>>): string {
  checkObject(parameters, "encodeQuery: parameters", "{ limit: 20 }");
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    const text = Array.isArray(value)
      ? value.map((item) => wordOf(item, name)).join(",")
      : wordOf(value, name);
    if (text !== "") query.append(name, text);
  }
  return query.toString();
}

/** Writes one value of a query. @throws ValidationError for what an address has no words for */
function wordOf(value: unknown, name: string): string {
  if (value === null || value === undefined) return "";
  if (["string", "number", "boolean", "bigint"].includes(typeof value)) return String(value);
  throw new ValidationError(
    `the query's ${name} must be a string, number or boolean, got ${describeValue(value)}`,
    {
      path: [name],
    },
  );
}
