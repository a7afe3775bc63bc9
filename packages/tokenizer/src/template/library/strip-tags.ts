import { isWhiteSpace } from "../values/python-text.js";
import { unsupported } from "../values/template-error.js";

/** Entities that are read by name; Python knows two thousand. */
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
};

/** A text without tags and comments, with one space where there was white space, as markupsafe's `striptags` makes it. */
export function stripTags(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (let start = text.indexOf("<"); start !== -1; start = text.indexOf("<", done)) {
    const closing = text.startsWith("<!--", start) ? "-->" : ">";
    const end = text.indexOf(closing, closing === ">" ? start : start + 4);
    if (end === -1) break;
    parts.push(text.slice(done, start));
    done = end + closing.length;
  }
  parts.push(text.slice(done));
  return readEntities(collapse(parts.join("")));
}

function collapse(text: string): string {
  const words: string[] = [];
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (at < text.length && !isWhiteSpace(text.charCodeAt(at))) continue;
    if (at > start) words.push(text.slice(start, at));
    start = at + 1;
  }
  return words.join(" ");
}

/** @throws TemplateError for an entity that Python reads and this package does not */
function readEntities(text: string): string {
  const [first = "", ...parts] = text.split("&");
  return first + parts.map(readEntity).join("");
}

function readEntity(part: string): string {
  const end = part.indexOf(";");
  const name = end === -1 ? "" : part.slice(0, end);
  const character = NAMED[name] ?? numbered(name);
  if (character !== undefined) return character + part.slice(end + 1);
  if (/^(?:[A-Za-z]|#[\dxX])/.test(part))
    throw unsupported("'striptags' of an entity other than the commonest");
  return `&${part}`;
}

/** The first character that HTML does not read as another one, or as none. */
const MIN_PLAIN_CHARACTER = 0xa0;
const MAX_DIGITS = 7;

function numbered(name: string): string | undefined {
  if (name.length > MAX_DIGITS) return undefined;
  const isHex = /^#[xX][\dA-Fa-f]+$/.test(name);
  if (!isHex && !/^#\d+$/.test(name)) return undefined;
  const code = isHex ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  const isPlain =
    (code >= 0x20 && code < 0x7f) ||
    code === 0x0a ||
    code === 0x09 ||
    (code >= MIN_PLAIN_CHARACTER && code < 0xd800) ||
    (code >= 0xe000 && code < 0xfdd0);
  return isPlain ? String.fromCharCode(code) : undefined;
}
