import { eachOf } from "./code-points.js";
import { NEW_IN_17 } from "./unicode-versions.js";

const EACH_NEW = eachOf(`[${NEW_IN_17}\\u0295]`);
/** No character, in any version so far, of one and of two UTF-16 units. */
const [NONE, WIDE_NONE] = ["\u0378", "\u{3fffd}"];
/** Stands for U+0295, which was a small letter until Unicode 17. */
const SMALL_LETTER = "\u0250";

/**
 * Puts other characters of the same length for those that Rust's matchers do not know, so that `\p{L}` and its kind match what
 * they match there, at the same places.
 */
export function asUnicode16(text: string): string {
  if (text.search(EACH_NEW) === -1) return text;
  return text.replace(EACH_NEW, (character) =>
    character === "\u0295" ? SMALL_LETTER : character.length === 1 ? NONE : WIDE_NONE,
  );
}
