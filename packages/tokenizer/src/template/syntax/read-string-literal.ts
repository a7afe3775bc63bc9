import { TemplateError } from "../values/template-error.js";

const SIMPLE: Readonly<Record<string, string>> = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Says how many hexadecimal digits follow each letter. */
const HEXADECIMAL: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/**
 * The text of a string literal between its quotes, as Python's `unicode-escape` reads it: an escape that is none stays.
 * @throws TemplateError for an escape that is cut off, or names a character.
 */
export function readStringLiteral(source: string, line: number): string {
  if (!source.includes("\\")) return source;
  const parts: string[] = [];
  for (let at = 0; at < source.length; ) {
    const slash = source.indexOf("\\", at);
    parts.push(source.slice(at, slash === -1 ? source.length : slash));
    if (slash === -1) break;
    const letter = source.charAt(slash + 1);
    const simple = SIMPLE[letter];
    const digits = HEXADECIMAL[letter];
    at = slash + 2;
    if (simple !== undefined) parts.push(simple);
    else if (digits !== undefined) {
      parts.push(codePoint(source.slice(at, at + digits), digits, line));
      at += digits;
    } else if (letter >= "0" && letter <= "7") {
      const octal = /^[0-7]{1,3}/.exec(source.slice(slash + 1, slash + 4))?.[0] ?? "";
      parts.push(String.fromCodePoint(Number.parseInt(octal, 8)));
      at = slash + 1 + octal.length;
    } else if (letter === "N") throw new TemplateError("\\N in a string is not supported here", line);
    else parts.push(`\\${letter}`);
  }
  return parts.join("");
}

function codePoint(hexadecimal: string, digits: number, line: number): string {
  const value = Number.parseInt(hexadecimal, 16);
  if (hexadecimal.length !== digits || !/^[0-9a-f]+$/i.test(hexadecimal) || value > 0x10ffff) {
    throw new TemplateError("a string has an escape that is cut off", line);
  }
  return String.fromCodePoint(value);
}
