/** The white space that Python's `str` methods know: no U+FEFF, but U+0085 and the separators from U+001C on. */
const WHITE_SPACE: ReadonlySet<number> = new Set([
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002,
  0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
]);

/** Units that end a line to `splitlines`. */
const LINE_ENDS: ReadonlySet<number> = new Set([
  0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029,
]);

export function isWhiteSpace(unit: number): boolean {
  return WHITE_SPACE.has(unit);
}

/** Bounds of a text without what is stripped, in UTF-16 units. */
export interface Stripped {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds what `strip(characters)` leaves.
 *
 * @param characters - the characters to strip. @defaultValue white space
 */
export function stripRange(
  text: string,
  sides: { readonly hasLeft: boolean; readonly hasRight: boolean },
  characters?: string,
): Stripped {
  const set = characters === undefined ? undefined : new Set(characters);
  const isStripped = (character: string) =>
    set === undefined ? isWhiteSpace(character.charCodeAt(0)) : set.has(character);
  let [start, end] = [0, text.length];
  while (sides.hasLeft && start < end) {
    const character = characterAt(text, start);
    if (!isStripped(character)) break;
    start += character.length;
  }
  while (sides.hasRight && end > start) {
    const character = characterBefore(text, end);
    if (!isStripped(character)) break;
    end -= character.length;
  }
  return { start, end };
}

/** The ranges of the lines of a text, without what ends them, as `splitlines` has them. */
export function lineRanges(text: string, keepsEnds = false): Stripped[] {
  const lines: Stripped[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (!LINE_ENDS.has(text.charCodeAt(at))) continue;
    const end = at;
    if (text.startsWith("\r\n", at)) at += 1;
    lines.push({ start, end: keepsEnds ? at + 1 : end });
    start = at + 1;
  }
  if (start < text.length) lines.push({ start, end: text.length });
  return lines;
}

/** Says whether UTF-16 units and characters are the same in a text. */
export function isOfUnits(text: string): boolean {
  return !/[\uD800-\uDFFF]/.test(text);
}

/** The number of characters, which Python counts. */
export function characterCount(text: string): number {
  if (isOfUnits(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The UTF-16 offset of each character, and of the end. */
export function characterOffsets(text: string): number[] {
  const offsets = [0];
  let offset = 0;
  for (const character of text) {
    offset += character.length;
    offsets.push(offset);
  }
  return offsets;
}

/** Compares as Python does, by code points: UTF-16 units would put U+FFFD behind an emoji. */
export function compareTexts(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  // Back to the beginning of a character whose second half differs.
  if (at > 0 && isLowSurrogate(left.charCodeAt(at)) && isLowSurrogate(right.charCodeAt(at))) at -= 1;
  return (left.codePointAt(at) ?? -1) - (right.codePointAt(at) ?? -1);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

function characterBefore(text: string, end: number): string {
  const isPair = end > 1 && (text.codePointAt(end - 2) ?? 0) > 0xffff;
  return text.slice(end - (isPair ? 2 : 1), end);
}
