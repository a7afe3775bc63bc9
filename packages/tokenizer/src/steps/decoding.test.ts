import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTokenizer } from "../tokenizer/create-tokenizer.js";
import { createStreamDecoder } from "../tokenizer/stream-decoder.js";

const metaspace = (prepend_scheme: string) => ({
  type: "Metaspace",
  replacement: "▁",
  prepend_scheme,
  split: true,
});
const replace = { type: "Replace", pattern: { String: "▁" }, content: " " };
const strip = (start: number, stop: number) => ({ type: "Strip", content: " ", start, stop });
const sequence = (...decoders: object[]) => ({ type: "Sequence", decoders });

/** Each kind of decoder that `tokenizers` 0.23 has, and how families put them together. */
const DECODERS: Readonly<Record<string, object | null>> = {
  none: null,
  BPEDecoder: { type: "BPEDecoder", suffix: "</w>" },
  ByteFallback: { type: "ByteFallback" },
  ByteLevel: { type: "ByteLevel" },
  CTC: { type: "CTC", pad_token: "<pad>", word_delimiter_token: "|", cleanup: true },
  Fuse: { type: "Fuse" },
  "Metaspace, always": metaspace("always"),
  "Metaspace, never": metaspace("never"),
  Replace: replace,
  Strip: strip(1, 1),
  WordPiece: { type: "WordPiece", prefix: "##", cleanup: true },
  "Llama 2": sequence(replace, { type: "ByteFallback" }, { type: "Fuse" }, strip(1, 0)),
  "Gemma 3": sequence(replace, { type: "ByteFallback" }, { type: "Fuse" }),
  T5: sequence(metaspace("always")),
  "a strip at both ends of all": sequence({ type: "Fuse" }, strip(2, 2)),
  "a replacement over all": sequence(
    { type: "Fuse" },
    { ...replace, pattern: { String: "ab" }, content: "x" },
  ),
  "bytes of a byte level": sequence({ type: "ByteLevel" }, strip(1, 0)),
  "a prefix after bytes": sequence(
    { type: "ByteFallback" },
    { type: "WordPiece", prefix: "##", cleanup: false },
  ),
};
// A vocabulary of what decoders look for, and of bytes that make characters, halves of them and no UTF-8.
const TOKENS = [
  "a",
  "b",
  "▁",
  "▁a",
  "a▁",
  "▁▁",
  "##b",
  "b</w>",
  "</w>",
  "<pad>",
  "|",
  " ",
  "  ",
  ".",
  " '",
  "n't",
  "é",
  "😀",
  "",
  "<0xF0>",
  "<0x9F>",
  "<0x98>",
  "<0x80>",
  "<0x41>",
  "<0xFF>",
  "<0xE4>",
  "Ġ",
  "ð",
  "Ł",
  "ĺ",
  "Ģ",
];
const added_tokens = [
  { id: 100, content: "<|end|>", special: true },
  { id: 101, content: "▁ x", special: false },
];
const make = (decoder: object | null) =>
  createTokenizer({
    tokenizer: {
      model: { type: "WordLevel", vocab: Object.fromEntries(TOKENS.map((token, id) => [token, id])) },
      decoder,
      added_tokens,
    },
  });

it("puts a space between all characters where the suffix of a BPEDecoder is empty, as Python does", () => {
  const tokenizer = createTokenizer({
    tokenizer: {
      model: { type: "WordLevel", vocab: { "a😀": 0, b: 1 }, unk_token: "b" },
      decoder: { type: "BPEDecoder", suffix: "" },
    },
  });
  expect(tokenizer.decode([0, 1])).toBe(" a 😀 b");
});

// huggingface/transformers#28622: text of a stream that is not the text of the whole.
describe.each(Object.entries(DECODERS))("a stream of %s", (_name, decoder) => {
  const tokenizer = make(decoder);
  const id = fc.oneof(fc.nat(TOKENS.length - 1), fc.constantFrom(100, 101, 999));

  it("gives in pieces what decoding gives of all, wherever it is cut", () => {
    fc.assert(
      fc.property(fc.array(id, { maxLength: 12 }), fc.boolean(), (ids, skipSpecialTokens) => {
        const whole = tokenizer.decode(ids, { skipSpecialTokens });
        const stream = createStreamDecoder(tokenizer, { skipSpecialTokens });
        for (let cut = 0; cut <= ids.length; cut += 1) {
          const pieces = [stream.push(ids.slice(0, cut)), stream.push(ids.slice(cut)), stream.end()];
          expect(pieces.join("")).toBe(whole);
        }
        expect([...ids.map((one) => stream.push(one)), stream.end()].join("")).toBe(whole);
      }),
      { seed: 48, numRuns: 60 },
    );
  });
});

it("gives the space before a word where the tokens before had no text", () => {
  const tokenizer = make(metaspace("always"));
  const stream = createStreamDecoder(tokenizer, { skipSpecialTokens: true });
  // "▁" is dropped as the first token of the text; the space of "▁a" is not.
  expect([2, 3].map((one) => stream.push(one))).toEqual(["", " a"]);
  expect(stream.end()).toBe("");
  expect([100, 3].map((one) => stream.push(one))).toEqual(["", "a"]);
});

it("does not hold text back that no later id can change", () => {
  const llama = make(DECODERS["Llama 2"] ?? null);
  const stream = createStreamDecoder(llama);
  const at = (token: string) => TOKENS.indexOf(token);
  const ids = ["▁a", "▁a", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "b"].map(at);
  expect(ids.map((one) => stream.push(one))).toEqual(["a", " a", "", "", "", "", "😀b"]);
});

// huggingface/tokenizers#1183, cactus-compute/cactus#684: half a character of Gemma; tokenizers gives U+FFFD for each of its bytes.
it.each([
  [["<0xF0>", "<0x9F>", "<0x98>"], "\uFFFD\uFFFD\uFFFD"],
  [["<0x41>", "<0xE4>"], "\uFFFD\uFFFD"],
  [["<0x41>", "b", "<0xE4>"], "Ab\uFFFD"],
])("makes of bytes that are no text, %j, a U+FFFD each", (tokens, text) => {
  const tokenizer = make(DECODERS["Gemma 3"] ?? null);
  expect(tokenizer.decode(tokens.map((token) => TOKENS.indexOf(token)))).toBe(text);
});
