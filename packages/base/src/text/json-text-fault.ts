/** Deepest nesting of lists and objects that is read; no record comes near it, and what walks deeper ones may recurse. */
export const MAX_JSON_DEPTH = 64;

/** Memory that JSON text may become, in bytes: so many for each character, and these in any case. */
const MAX_BYTES_PER_CHARACTER = 9;
const FREE_BYTES = 32 * 1024 * 1024;

/** About what an engine takes for each of these once they are parsed, in bytes; what strings hold comes on top, but once. */
const OBJECT_BYTES = 64;
const LIST_BYTES = 40;
const MEMBER_BYTES = 96;
const ITEM_BYTES = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Says why JSON text that somebody else has written should not be parsed: it nests too deep, or `{},{},{},…` would take
 * twenty times the memory of its text. One pass over the text; whether it is JSON at all is for the parser to say.
 */
export function jsonTextFault(text: string): string | undefined {
  // Too short for as many levels and as much memory.
  if (text.length <= MAX_JSON_DEPTH) return undefined;
  const maxBytes = FREE_BYTES + MAX_BYTES_PER_CHARACTER * text.length;
  let depth = 0;
  let bytes = 0;
  for (let position = 0; position < text.length; position += 1) {
    switch (text.charCodeAt(position)) {
      case QUOTE:
        position = endOfString(text, position);
        break;
      case 0x5b: // [
        depth += 1;
        bytes += LIST_BYTES;
        break;
      case 0x7b: // {
        depth += 1;
        bytes += OBJECT_BYTES;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x2c: // ,
        bytes += ITEM_BYTES;
        break;
      case 0x3a: // :
        bytes += MEMBER_BYTES;
        break;
    }
    if (depth > MAX_JSON_DEPTH) return `more than ${MAX_JSON_DEPTH} levels`;
  }
  if (bytes <= maxBytes) return undefined;
  return `${text.length} characters that would take more than ${maxBytes} bytes of memory`;
}

/** Position of the quotation mark that ends the string which begins here, or of the text's end. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
