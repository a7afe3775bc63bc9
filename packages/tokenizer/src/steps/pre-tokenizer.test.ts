import { expect, it } from "vitest";
import { createPreTokenizer } from "./pre-tokenizer.js";

// huggingface/tokenizers#390: digits are what Rust calls numeric, fractions, superscripts and Roman numerals among them, but no
// ideographs. Each result is that of Python's `tokenizers` 0.23.3.
it.each([
  [true, "x ²½3", ["x ", "²", "½", "3"]],
  [false, "x ²½3", ["x ", "²½3"]],
  [true, "Ⅻa五¼", ["Ⅻ", "a五", "¼"]],
  [false, "Ⅻa五¼", ["Ⅻ", "a五", "¼"]],
  [true, "١٢ ௰", ["١", "٢", " ", "௰"]],
  [false, "١٢ ௰", ["١٢", " ", "௰"]],
])("cuts at digits, one by one where individual_digits is %s: %s", (individual_digits, text, words) => {
  expect(createPreTokenizer({ type: "Digits", individual_digits })(text, true)).toEqual(words);
});
