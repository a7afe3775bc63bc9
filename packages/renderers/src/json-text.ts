/** A string, a sign, or a number or word of JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * JSON with a space behind each comma and colon, as Python's `json.dumps` writes it and models have learnt it. Numbers and strings
 * stay as they are written: `1.0` stays `1.0`.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function spacedJson(text: string): string {
  JSON.parse(text);
  return (text.match(TOKEN) ?? [])
    .map((token) => (token === "," || token === ":" ? `${token} ` : token))
    .join("");
}

/**
 * The members of an object with their values as they are written.
 *
 * @throws SyntaxError when the text is not a JSON object
 */
export function jsonMembers(text: string): ReadonlyMap<string, string> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SyntaxError("The text is not a JSON object");
  }
  const members = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const closes = token === "}" || token === "]";
    if (closes) depth--;
    if (name !== undefined && ((depth === 1 && token === ",") || depth === 0)) {
      members.set(name, text.slice(start, index).trim());
      name = undefined;
    } else if (depth === 1 && token === ":" && name !== undefined) {
      start = index + 1;
    } else if (depth === 1 && name === undefined && token.startsWith('"')) {
      name = JSON.parse(token);
    }
    if (token === "{" || token === "[") depth++;
  }
  return members;
}
