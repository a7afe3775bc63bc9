import { ValidationError } from "@tinkex/base";
import { expect, it } from "vitest";
import { createTokenizer } from "../tokenizer/create-tokenizer.js";

const BYTES = Array.from({ length: 256 }, (_, byte): [string, number] => [
  `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
  -9,
]);

// Python's `tokenizers` 0.23.3 loads each of them, and refuses the text that needs the unknown token.
it.each([
  ["WordLevel", { type: "WordLevel", vocab: { a: 0 }, unk_token: "[UNK]" }],
  ["WordPiece", { type: "WordPiece", vocab: { a: 0 }, unk_token: "[UNK]" }],
  ["BPE", { type: "BPE", vocab: { a: 0 }, merges: [], unk_token: "[UNK]" }],
  ["BPE with an empty name", { type: "BPE", vocab: { a: 0 }, merges: [], unk_token: "" }],
  ["Unigram", { type: "Unigram", vocab: [["a", -1]], unk_id: null }],
])("a vocabulary without its unknown token is refused where a text needs it: %s", (_name, model) => {
  const tokenizer = createTokenizer({ tokenizer: { model } });
  expect(tokenizer.encode("a")).toEqual([0]);
  expect(() => tokenizer.encode("b")).toThrow(ValidationError);
  expect(() => tokenizer.encode("b")).toThrow(/no token for "b", and its vocabulary lacks/);
});

it("bytes stand for what has no token where the model has them", () => {
  const model = { type: "Unigram", vocab: [["a", -1], ["<unk>", -2], ...BYTES], unk_id: 1, byte_fallback: true };
  expect(createTokenizer({ tokenizer: { model } }).encode("ab")).toEqual([0, 2 + 0x62]);
});

it("drops what has no token where a BPE names no unknown token, as Python does", () => {
  const model = { type: "BPE", vocab: { a: 0 }, merges: [], unk_token: null };
  expect(createTokenizer({ tokenizer: { model } }).encode("ba")).toEqual([0]);
});
