// What Python's str.strip removes. JavaScript's trim also removes U+FEFF, and leaves U+001C to U+001F and U+0085.
const SPACE = String.raw`[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;
const LEADING = new RegExp(`^${SPACE}+`);
const TRAILING = new RegExp(`(?<!${SPACE})${SPACE}+$`);

/** `text` without the whitespace at its start. */
export function stripStart(text: string): string {
  return text.replace(LEADING, "");
}

/** `text` without the whitespace at its end. */
export function stripEnd(text: string): string {
  return text.replace(TRAILING, "");
}

/** `text` without the whitespace around it, as Python's `str.strip` has it. */
export function strip(text: string): string {
  return stripEnd(stripStart(text));
}
