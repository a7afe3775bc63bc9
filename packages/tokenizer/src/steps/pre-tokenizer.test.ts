import { expect, it } from "vitest";
import { createNormalizer } from "./normalizer.js";
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
  expect(createPreTokenizer({ type: "Digits", individual_digits }).split(text, true)).toEqual(words);
});

// Python's `tokenizers` 0.23.3. SuperBPE's tokenizers part digits by a look ahead, which takes nothing.
it.each([
  ["(?=(\\d{3})+(?!\\d))", "Isolated", "12345678 1234", ["12", "345", "678 1", "234"]],
  ["(?=(\\d{3})+(?!\\d))", "Contiguous", "12345678 1234", ["12", "345", "678 1", "234"]],
  ["$", "Isolated", "1𝐀B", ["1𝐀B"]],
  ["$", "Isolated", "a\nb𝐀\n", ["a", "\nb𝐀", "\n"]],
  ["(?=\\p{L})", "Isolated", "𝐀a b", ["𝐀", "a ", "b"]],
  ["a*", "MergedWithPrevious", "aa b🙂a", ["aa", " ", "b", "🙂a"]],
  ["\\s*", "MergedWithPrevious", "aa b🙂a", ["a", "a ", "b", "🙂", "a"]],
  ["b?", "Removed", "aa b🙂a", ["a", "a", " ", "🙂", "a"]],
  ["", "Isolated", "aa b🙂a", ["a", "a", " ", "b", "🙂", "a"]],
])("cuts at matches that take nothing: %j, %s", (Regex, behavior, text, words) => {
  const { split } = createPreTokenizer({ type: "Split", pattern: { Regex }, behavior, invert: false });
  expect(split(text, true)).toEqual(words);
});

it("cuts between all characters at an empty text, as Python does", () => {
  const split = { type: "Split", pattern: { String: "" }, behavior: "Contiguous", invert: false };
  expect(createPreTokenizer(split).split("a b🙂", true)).toEqual(["a", " ", "b", "🙂"]);
  const replace = createNormalizer({ type: "Replace", pattern: { Regex: "\\s*" }, content: "_" });
  expect(replace("aa b🙂a")).toBe("_a_a_b_🙂_a_");
});

const digits = { type: "Digits", individual_digits: true };
const bytes = { type: "ByteLevel", add_prefix_space: false, use_regex: true };

// Each result, words put through `spell`, is that of Python's `tokenizers` 0.23.3.
it.each([
  ["bytes alone", bytes, "é 12", ["é", " 12"], ["Ã©", "Ġ12"]],
  [
    "bytes that split no words",
    { type: "Sequence", pretokenizers: [digits, { ...bytes, use_regex: false }] },
    "é 12",
    ["é ", "1", "2"],
    ["Ã©Ġ", "1", "2"],
  ],
  [
    "bytes that split words",
    { type: "Sequence", pretokenizers: [digits, bytes] },
    "é, 12",
    ["é", ",", " ", "1", "2"],
    ["Ã©", ",", "Ġ", "1", "2"],
  ],
  [
    "bytes that add spaces, in a sequence of sequences",
    {
      type: "Sequence",
      pretokenizers: [{ type: "Sequence", pretokenizers: [digits, { ...bytes, add_prefix_space: true }] }],
    },
    "é1",
    [" é", " 1"],
    ["ĠÃ©", "Ġ1"],
  ],
  [
    "bytes before digits",
    { type: "Sequence", pretokenizers: [bytes, digits] },
    "é 12",
    ["Ã©", "Ġ", "1", "2"],
    ["Ã©", "Ġ", "1", "2"],
  ],
  [
    "bytes of bytes",
    {
      type: "Sequence",
      pretokenizers: [
        { ...bytes, use_regex: false },
        { ...bytes, use_regex: false },
      ],
    },
    "é",
    ["Ã©"],
    ["ÃĥÂ©"],
  ],
])("leaves the last spelling to be done word by word: %s", (_name, part, text, words, spelled) => {
  const { split, spell } = createPreTokenizer(part);
  expect(split(text, true)).toEqual(words);
  expect(split(text, true).map(spell)).toEqual(spelled);
});
