/**
 * Writes code points as the inside of a character class, for expressions with the flag `u`.
 * @param ranges - hexadecimal, e.g. `"61d 1b4e-1b4f"`
 */
export function classOf(ranges: string): string {
  const written = (digits: string) => `\\u{${digits}}`;
  return ranges
    .split(" ")
    .map((range) => range.split("-").map(written).join("-"))
    .join("");
}

/** Makes the expression that finds each character which a source of one character matches. */
export function eachOf(character: string): RegExp {
  return new RegExp(character, "gu");
}

/** The UTF-16 units of the character at a place of a text: two for a surrogate pair, else one. */
export function widthAt(text: string, place: number): number {
  return (text.codePointAt(place) ?? 0) > 0xffff ? 2 : 1;
}
