/** White space that Python's `str.strip` removes. JavaScript's `trim` also removes U+FEFF, and leaves U+001C to U+001F and U+0085. */
const SPACES =
  "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

/** `text` without those of the `characters` that stand at its start. @param characters whitespace, unless given */
export function stripStart(text: string, characters = SPACES): string {
  return text.slice(endOfRun(text, 0, characters));
}

/** `text` without those of the `characters` that stand at its end. @param characters whitespace, unless given */
export function stripEnd(text: string, characters = SPACES): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** `text` without those of the `characters` that stand around it, as Python's `str.strip`. @param characters whitespace, unless given */
export function strip(text: string, characters = SPACES): string {
  return stripEnd(stripStart(text, characters), characters);
}

/** The place behind the run of `characters` that begins at `start`. @param characters whitespace, unless given */
export function endOfRun(text: string, start: number, characters = SPACES): number {
  let end = start;
  while (end < text.length && characters.includes(text.charAt(end))) end += 1;
  return end;
}
