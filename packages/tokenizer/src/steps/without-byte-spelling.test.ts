import { expect, it } from "vitest";
import { withoutByteSpelling } from "./without-byte-spelling.js";

const words = { type: "Split", pattern: { String: " " }, behavior: "Isolated" };
const bytes = { type: "ByteLevel", add_prefix_space: false, use_regex: false };

it("takes the last step off", () => {
  expect(withoutByteSpelling({ type: "Sequence", pretokenizers: [words, bytes] })).toEqual({
    type: "Sequence",
    pretokenizers: [words],
  });
});

it.each([
  ["nothing", null],
  ["another kind", { type: "Whitespace" }],
  ["a sequence that ends otherwise", { type: "Sequence", pretokenizers: [bytes, words] }],
  ["an empty sequence", { type: "Sequence", pretokenizers: [] }],
  ["bytes that split words too", { type: "Sequence", pretokenizers: [words, { ...bytes, use_regex: true }] }],
  [
    "bytes that split words too, by default",
    { type: "Sequence", pretokenizers: [words, { type: "ByteLevel" }] },
  ],
  [
    "bytes that add a space",
    { type: "Sequence", pretokenizers: [words, { ...bytes, add_prefix_space: true }] },
  ],
])("leaves %s alone", (_name, preTokenizer) => {
  expect(withoutByteSpelling(preTokenizer)).toBeUndefined();
});
