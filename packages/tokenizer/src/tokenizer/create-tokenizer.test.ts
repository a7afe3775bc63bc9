import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { createTokenizer } from "./create-tokenizer.js";

/** Five times what the slowest kind takes with others beside it, and a third of what the library takes by itself. */
const MAX_CPU_SECONDS = 3;

/** A tokenizer of single bytes with one special and one plain added token. */
function byteTokenizer(changes: Record<string, unknown> = {}) {
  const vocab = Object.fromEntries([..."abcdefgh<|>/Ġ"].map((character, id) => [character, id]));
  return createTokenizer({
    tokenizer: {
      added_tokens: [
        { id: 20, content: "<|end|>", special: true },
        { id: 21, content: "<b>", special: false, normalized: false },
      ],
      normalizer: null,
      pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, use_regex: true },
      decoder: { type: "ByteLevel" },
      post_processor: null,
      model: { type: "BPE", vocab, merges: [] },
      ...changes,
    },
  });
}

describe("special tokens spelled out in a text", () => {
  const tokenizer = byteTokenizer({
    model: { type: "BPE", vocab: Object.fromEntries([..."abden<|>"].map((c, id) => [c, id])), merges: [] },
  });

  it("stay text", () => {
    const ids = tokenizer.encode("a<|end|>b");
    expect(ids).toHaveLength(9);
    expect(ids).not.toContain(20);
    expect(tokenizer.decode(ids)).toBe("a<|end|>b");
  });

  it("stay text at given offsets, and plain added tokens only where literalAdded says so", () => {
    const encode = (literalAdded: boolean) =>
      tokenizer.encode("<b><|end|>", { allowedSpecial: "all", literalOffsets: new Set([1]), literalAdded });
    expect(encode(false)).toEqual([21, 20]);
    expect(tokenizer.decode(encode(true))).toBe("<b><|end|>");
    expect([encode(true).includes(21), encode(true).includes(20)]).toEqual([false, true]);
    expect([...tokenizer.addedTokens]).toEqual([
      ["<|end|>", 20],
      ["<b>", 21],
    ]);
  });

  it("become ids when all or they are allowed", () => {
    expect(tokenizer.encode("a<|end|>b", { allowedSpecial: "all" })).toEqual([0, 20, 1]);
    expect(tokenizer.encode("a<|end|>b", { allowedSpecial: ["<|end|>"] })).toEqual([0, 20, 1]);
  });

  it.each([false, true])("stay text where they hold a literal offset, with normalized: %s", (normalized) => {
    const { encode } = byteTokenizer({
      added_tokens: [{ id: 20, content: "<|END|>", special: true, normalized }],
      normalizer: { type: "Lowercase" },
      model: { type: "BPE", vocab: Object.fromEntries([..."abden<|>"].map((c, id) => [c, id])), merges: [] },
    });
    const text = "A<|END|><|END|>b";
    expect(encode(text, { allowedSpecial: "all" })).toEqual([0, 20, 20, 1]);
    for (const offset of [1, 4, 7]) {
      const ids = encode(text, { allowedSpecial: "all", literalOffsets: new Set([offset]) });
      expect(ids).toEqual([...encode("a<|end|>"), 20, 1]);
    }
    const outside = { allowedSpecial: "all", literalOffsets: new Set([0, 15]) } as const;
    expect(encode(text, outside)).toEqual([0, 20, 20, 1]);
  });

  it("are refused in allowedSpecial when they are none", () => {
    expect(() => tokenizer.encode("a", { allowedSpecial: ["<|edn|>"] })).toThrow(ValidationError);
    expect(() => tokenizer.encode("a", { allowedSpecial: ["<b>"] })).toThrow(/no special token/);
  });

  it("do not keep plain added tokens from being found", () => {
    expect(tokenizer.encode("<b>")).toEqual([21]);
  });
});

describe("decode", () => {
  const tokenizer = byteTokenizer();

  it("gives the empty text for no ids", () => {
    expect(tokenizer.decode([])).toBe("");
    expect(tokenizer.decode(new Uint32Array())).toBe("");
    expect(tokenizer.decode([20], { skipSpecialTokens: true })).toBe("");
  });

  it("leaves out ids that the vocabulary lacks", () => {
    expect(tokenizer.decode([0, 99, -1, 1.5, Number.NaN, 1])).toBe("ab");
  });
});

it("never cleans spaces up, whatever the config asks for", () => {
  const vocab = { a: 0, Ġ: 1, ",": 2 };
  const tokenizer = createTokenizer({
    tokenizer: { model: { type: "BPE", vocab, merges: [] }, decoder: { type: "ByteLevel" } },
    config: { clean_up_tokenization_spaces: true },
  });
  expect(tokenizer.decode([0, 1, 2])).toBe("a ,");
});

it("puts the ids of the post-processor around a text", () => {
  const template = { SpecialToken: { id: "<|end|>", type_id: 0 } };
  const sequence = { Sequence: { id: "A", type_id: 0 } };
  const tokenizer = byteTokenizer({
    post_processor: {
      type: "TemplateProcessing",
      single: [template, sequence, template],
      special_tokens: { "<|end|>": { id: "<|end|>", ids: [20], tokens: ["<|end|>"] } },
    },
  });
  expect(tokenizer.encode("ab")).toEqual([0, 1]);
  expect(tokenizer.encode("ab", { addSpecialTokens: true })).toEqual([20, 0, 1, 20]);
});

it("knows its tokens by id and by name", () => {
  const tokenizer = byteTokenizer();
  expect(tokenizer.tokenId("<|end|>")).toBe(20);
  expect(tokenizer.tokenId("a")).toBe(0);
  expect(tokenizer.tokenId("nothing")).toBeUndefined();
  expect(tokenizer.token(21)).toBe("<b>");
  expect(tokenizer.token(12)).toBe("Ġ");
  expect(tokenizer.token(99)).toBeUndefined();
  expect([...tokenizer.specialTokens]).toEqual([["<|end|>", 20]]);
  expect(tokenizer.vocabularySize).toBe(15);
});

it("encodes a text of a million characters", () => {
  expect(byteTokenizer().encode("ab ".repeat(340_000))).toHaveLength(1_020_000);
});

// huggingface/transformers#25873, microsoft/onnxruntime-genai#815: a text that nothing cuts into words is merged as one word, for
// minutes. Gemma's parts do so with all but spaces.
describe("a million characters that Gemma's parts leave whole", () => {
  const PAIRS = ["a a", "aa aa", "漢 字", "漢字 漢字", "! ?", "!? .", "!?. !?."].map((pair) =>
    pair.split(" "),
  );
  const tokens = ["<unk>", "▁", ..."a漢字!?.", ...PAIRS.map((pair) => pair.join(""))];
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  const gemma = createTokenizer({
    tokenizer: {
      normalizer: { type: "Replace", pattern: { String: " " }, content: "▁" },
      pre_tokenizer: { type: "Split", pattern: { String: " " }, behavior: "MergedWithPrevious" },
      model: { type: "BPE", vocab, merges: PAIRS, unk_token: "<unk>", byte_fallback: true, fuse_unk: true },
    },
  });

  it.each([
    ["letters", "a", "aaaa"],
    ["ideographs", "漢字", "漢字漢字"],
    ["punctuation", "!?.", "!?.!?."],
  ])("are encoded in a second or so, all of them %s", (_kind, unit, longest) => {
    // Divides by the longest tokens, so that nothing is left over.
    const count = Math.round(1_000_000 / longest.length);
    const text = unit.repeat((count * longest.length) / unit.length);
    const before = process.cpuUsage();
    const ids = gemma.encode(text);
    const { user, system } = process.cpuUsage(before);
    expect(ids).toEqual(new Array(count).fill(vocab[longest]));
    expect((user + system) / 1e6).toBeLessThan(MAX_CPU_SECONDS);
  });
});

it.each([
  ["nothing", null, /got null/],
  ["a list", [], /it must be an object, got an array/],
  ["a config", { chat_template: "" }, /no model\.vocab/],
  [
    "bad added tokens",
    { model: { vocab: {} }, added_tokens: [{ id: "1", content: "a" }] },
    /added_tokens\[0\]/,
  ],
  [
    "added tokens by name",
    { model: { vocab: {} }, added_tokens: { a: 1 } },
    /added_tokens must be an array, got an object/,
  ],
  [
    "a bad section",
    { model: { vocab: {} }, decoder: "ByteLevel" },
    /decoder must be an object, got a string/,
  ],
  [
    "an unknown part",
    { model: { type: "BPE", vocab: {}, merges: [] }, decoder: { type: "Telepathy" } },
    /Telepathy/,
  ],
])("refuses %s with one clear message", (_name, tokenizer, message) => {
  expect(() => createTokenizer({ tokenizer })).toThrow(ValidationError);
  expect(() => createTokenizer({ tokenizer })).toThrow(message);
});
