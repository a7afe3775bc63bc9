import { eachOf } from "./code-points.js";
import { INERT_IN_9 } from "./unicode-versions.js";

/** Name of a normalisation form of Unicode. */
export type UnicodeForm = "NFC" | "NFD" | "NFKC" | "NFKD";

const EACH_INERT = eachOf(`([${INERT_IN_9}])`);

/** Brings a text into a normalisation form as Unicode 9 has it, as Rust's `tokenizers` does: newer characters stay, and part the others. */
export function inUnicodeForm(text: string, form: UnicodeForm): string {
  if (text.search(EACH_INERT) === -1) return text.normalize(form);
  // Every second piece is a character that stays.
  return text
    .split(EACH_INERT)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.normalize(form)))
    .join("");
}

/** Small letters, character by character as Rust's `char::to_lowercase` has them: a sigma at the end of a word is no other. */
export function lowercase(text: string): string {
  return text.replaceAll("\u03a3", "\u03c3").toLowerCase();
}
