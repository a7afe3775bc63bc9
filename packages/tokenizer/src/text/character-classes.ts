import { classOf } from "./code-points.js";
import { MARKS_AFTER_7, NONSPACING_AFTER_7, PUNCTUATION_AFTER_7 } from "./unicode-versions.js";

// Sources of expressions with the flag `u` that match one character, as the functions of these names do in Rust's `tokenizers` 0.23.

export const PUNCTUATION = `(?:[!-/:-@[-\`{-~${classOf("166d 111c9")}]|(?![${PUNCTUATION_AFTER_7}])\\p{P})`;
export const MARK = `(?:[${classOf("1cf2-1cf3")}]|(?![${MARKS_AFTER_7}])\\p{M})`;
export const NONSPACING_MARK = `(?:[${classOf("1734 1171e")}]|(?![${NONSPACING_AFTER_7}])\\p{Mn})`;
/** Control characters and the like but for tab and line breaks; U+0000 and U+FFFD with them. */
export const NO_TEXT = `(?:\\uFFFD|(?![${classOf("9-a d 890-891 8e2 110cd 13430-1343f")}])[\\p{Cc}\\p{Cf}\\p{Co}])`;
export const NUMERIC = "\\p{N}";
export const WHITE_SPACE = "\\p{White_Space}";
/** Ideographs, as BERT counts them: 0x2B820 to 0x2B91F are left out there, by a slip of Rust's. */
export const CHINESE = `[${classOf("3400-4dbf 4e00-9fff f900-faff 20000-2a6df 2a700-2b81f 2b920-2ceaf 2f800-2fa1f")}]`;
