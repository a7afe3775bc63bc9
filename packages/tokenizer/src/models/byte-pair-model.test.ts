import { ValidationError } from "@tinkex/base";
import { Tokenizer as EngineTokenizer } from "@huggingface/tokenizers";
import { describe, expect, it } from "vitest";
import { type BytePairConfig, createBytePairModel } from "./byte-pair-model.js";

/** Numbers below `limit` that look random and are the same in every run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48271) % 2147483647;
    return state % limit;
  };
}

const ALPHABET = ["a", "b", "c", "Ġ"];

/** A vocabulary made by joining tokens at random: many ways lead to the same token, as in real ones. */
function randomConfig(seed: number) {
  const below = numbers(seed);
  const tokens = [...ALPHABET];
  const merges: [string, string][] = [];
  while (merges.length < 60) {
    const [left, right] = [tokens[below(tokens.length)] ?? "", tokens[below(tokens.length)] ?? ""];
    if (left.length + right.length > 8 || merges.some(([a, b]) => a === left && b === right)) continue;
    merges.push([left, right]);
    if (!tokens.includes(left + right)) tokens.push(left + right);
  }
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  return { type: "BPE", vocab, merges, ignore_merges: seed % 2 === 0 } as const;
}

function randomWord(below: (limit: number) => number, length: number): string {
  return Array.from({ length }, () => ALPHABET[below(ALPHABET.length)]).join("");
}

/** What the engine library makes of a word. */
function libraryIds(config: ReturnType<typeof randomConfig>) {
  const parts = {
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    added_tokens: [],
  };
  const { model } = new EngineTokenizer({ model: config, ...parts }, {});
  if (model === null) throw new Error("the library has made no model");
  return (word: string) => model([word]).map((token: string) => model.tokens_to_ids.get(token));
}

describe("createBytePairModel", () => {
  it.each(Array.from({ length: 40 }, (_, index) => index + 1))(
    "joins as the engine library does, vocabulary %i",
    (seed) => {
      const config = randomConfig(seed);
      const ids = libraryIds(config);
      const model = createBytePairModel(config);
      const below = numbers(seed + 1000);
      for (let round = 0; round < 50; round++) {
        const word = randomWord(below, below(40));
        expect(model?.ids(word), word).toEqual(ids(word));
      }
    },
  );

  // openai/tiktoken#391, huggingface/transformers#25873: one word takes the square of its length.
  it("takes a very long word", () => {
    const config = randomConfig(7);
    const word = randomWord(numbers(7), 50_000);
    expect(createBytePairModel(config)?.ids(word)).toEqual(libraryIds(config)(word));
  });

  it("reads merges that are written as one string", () => {
    const config = randomConfig(3);
    const joined = { ...config, merges: config.merges.map((pair) => pair.join(" ")) };
    const word = randomWord(numbers(3), 200);
    expect(createBytePairModel(joined)?.ids(word)).toEqual(createBytePairModel(config)?.ids(word));
  });

  it("drops what is in no vocabulary, as the library does where there is no unknown token", () => {
    const model = createBytePairModel({ type: "BPE", vocab: { a: 4 }, merges: [] });
    expect(model?.ids("abca")).toEqual([4, 4]);
    expect(model?.tokensById[4]).toBe("a");
    expect(model?.idsByToken).toEqual(new Map([["a", 4]]));
  });

  const plain = { type: "BPE", vocab: { a: 0, b: 1, ab: 2 }, merges: [["a", "b"]] };
  it.each<[string, BytePairConfig]>([
    ["another model", { ...plain, type: "WordPiece" }],
    ["an id that is no number", { ...plain, vocab: { a: "0" } }],
  ])("leaves to others: %s", (_, config) => {
    expect(createBytePairModel(plain)).toBeDefined();
    expect(createBytePairModel(config)).toBeUndefined();
  });

  it.each<[string, BytePairConfig, RegExp]>([
    ["no merges", { ...plain, merges: undefined }, /model\.merges .* must be a list/],
    ["a merge of three", { ...plain, merges: ["a b ab"] }, /model\.merges\[0\] .* pairs/],
    ["a merge that is no pair", { ...plain, merges: [["a", "b"], ["a", 1]] }, /model\.merges\[1\] .* pairs/],
    ["a merge of what is no token", { ...plain, merges: [["a", "c"]] }, /tokens of the vocabulary/],
    ["a merge to what is no token", { ...plain, merges: [["b", "a"]] }, /tokens of the vocabulary/],
  ])("refuses: %s", (_, config, message) => {
    expect(() => createBytePairModel(config)).toThrow(ValidationError);
    expect(() => createBytePairModel(config)).toThrow(message);
  });

  // The kinds of tokenizers 0.23.3: google/sentencepiece (byte_fallback), openai/gpt (end_of_word_suffix), BERT (prefix).
  it.each<[string, BytePairConfig, string, number[]]>([
    ["one unknown token for each", { ...plain, vocab: { ...plain.vocab, "?": 3 }, unk_token: "?" }, "xyabx", [3, 3, 2, 3]],
    [
      "one for all that stand together",
      { ...plain, vocab: { ...plain.vocab, "?": 3 }, unk_token: "?", fuse_unk: true },
      "xyabx",
      [3, 2, 3],
    ],
    [
      "bytes where each has a token",
      { ...plain, vocab: { ...plain.vocab, "<0xC3>": 7, "<0xA9>": 8, "?": 3 }, byte_fallback: true, unk_token: "?" },
      "aébx",
      [0, 7, 8, 1, 3],
    ],
    [
      "the end of a word by its suffix",
      { type: "BPE", vocab: { a: 0, "b</w>": 1, "ab</w>": 2, b: 3 }, merges: [["a", "b</w>"]], end_of_word_suffix: "</w>" },
      "bab",
      [3, 2],
    ],
    [
      "what goes on with a word by its prefix",
      { type: "BPE", vocab: { a: 0, "##b": 1, ab: 2, "##a": 3 }, merges: [["a", "##b"]], continuing_subword_prefix: "##" },
      "abab",
      [2, 3, 1],
    ],
  ])("has the settings of Python's model: %s", (_, config, word, ids) => {
    expect(createBytePairModel(config)?.ids(word)).toEqual(ids);
  });
});
