import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { growthOf } from "../testing/growth-of.js";
import { createTokenizer } from "./create-tokenizer.js";

const BYTES = { type: "BPE", vocab: { a: 0, b: 1, " ": 2 }, merges: [] };
const make = (changes: Readonly<Record<string, unknown>>) =>
  createTokenizer({ tokenizer: { model: BYTES, ...changes } });
const added = (contents: readonly string[], flags = {}) =>
  contents.map((content, index) => ({
    id: 1_000 + index,
    content,
    special: false,
    normalized: false,
    ...flags,
  }));

describe("added tokens", () => {
  const names = (count: number) =>
    Array.from({ length: count }, (_, index) => `<|token of no use ${index}|>`);

  it("are loaded in linear time, and found among 300,000", () => {
    expect(growthOf((count) => make({ added_tokens: added(names(count)) }), 60_000)).toBeLessThan(3.5);
    const tokenizer = make({ added_tokens: added(names(300_000)) });
    expect(tokenizer.encode("a<|token of no use 299999|>b<|token of no use 29999|>")).toEqual([
      0, 300_999, 1, 30_999,
    ]);
  });

  it.each([
    ["that begin each other", Array.from({ length: 500 }, (_, index) => "a".repeat(index + 1)), "a"],
    [
      "that end otherwise than the text",
      Array.from({ length: 60 }, (_, index) => `${"a".repeat(900)}${index}`),
      "a",
    ],
    ["that are white space", [" ", "  ", "\t"], " "],
  ])("are found in linear time: %s", (_name, contents, unit) => {
    for (const flags of [
      {},
      { lstrip: true },
      { rstrip: true },
      { lstrip: true, rstrip: true, single_word: true },
    ]) {
      const tokenizer = make({ added_tokens: added(contents, flags) });
      expect(growthOf((length) => tokenizer.encode(unit.repeat(length)).length, 8_000)).toBeLessThan(3.5);
    }
  });

  it("are found the longest first, and not in half a character", () => {
    const tokenizer = make({ added_tokens: added(["ab", "a", "abba", "\uD83D", "😀"]) });
    expect(tokenizer.encode("abbaaba😀")).toEqual([1_002, 1_000, 1_001, 1_004]);
  });

  it("are refused when one is longer than any token", () => {
    expect(() => make({ added_tokens: added(["a".repeat(5_000)]) })).toThrow(/at most 1000 characters/);
  });
});

describe("a part that would not end, or fill the memory", () => {
  const doubling = { type: "Replace", pattern: { String: "a" }, content: "aa" };
  const sequence = (part: object, count: number, list: string) => ({
    type: "Sequence",
    [list]: Array.from({ length: count }, () => part),
  });
  const nested = (depth: number): object =>
    depth === 0 ? { type: "NFC" } : { type: "Sequence", normalizers: [nested(depth - 1)] };
  const single = Array.from({ length: 20_000 }, () => ({ Sequence: { id: "A", type_id: 0 } }));

  it.each([
    ["a length of 0", { pre_tokenizer: { type: "FixedLength", length: 0 } }, /pre_tokenizer\.length/],
    ["a length below 0", { pre_tokenizer: { type: "FixedLength", length: -1 } }, /whole number from 1/],
    [
      "no length",
      { pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "FixedLength" }] } },
      /length/,
    ],
    ["a long replacement", { pre_tokenizer: { type: "Metaspace", replacement: "ab" } }, /one character/],
    ["no replacement", { decoder: { type: "Metaspace", replacement: "" } }, /one character/],
    ["a long content", { normalizer: { type: "Prepend", prepend: "a".repeat(300) } }, /normalizer\.prepend/],
    ["deep sequences", { normalizer: nested(2_000) }, /at most 32 levels deep/],
    ["a long list", { post_processor: { type: "TemplateProcessing", single } }, /at most 10000 values/],
    ["an id that is none", { model: { ...BYTES, vocab: { a: 2 ** 40 } } }, /whole numbers from 0/],
    ["an id below 0", { model: { ...BYTES, vocab: { a: -1 } } }, /got -1 for "a"/],
    ["half an id", { model: { ...BYTES, type: "WordPiece", vocab: { a: 0.5 } } }, /got 0\.5/],
    [
      "a post-processor of nothing",
      { post_processor: { type: "TemplateProcessing", single: [1] } },
      /must have the text/,
    ],
    ["a score that is none", { model: { type: "Unigram", vocab: [["a", "b"]] } }, /model\.vocab\[0\]/],
  ])("is refused when the tokenizer is made: %s", (_name, changes, message) => {
    expect(() => make(changes)).toThrow(ValidationError);
    expect(() => make(changes)).toThrow(message);
  });

  it.each([
    ["normalizer", { normalizer: sequence(doubling, 40, "normalizers") }],
    [
      "pre_tokenizer",
      { pre_tokenizer: sequence({ type: "ByteLevel", use_regex: false }, 40, "pretokenizers") },
    ],
    ["pre_tokenizer", { pre_tokenizer: sequence(doubling, 40, "pretokenizers") }],
  ])("is refused when a text grows without end: %s", (section, changes) => {
    const tokenizer = make(changes);
    expect(() => tokenizer.encode("aéa".repeat(100))).toThrow(ValidationError);
    expect(() => tokenizer.encode("aéa".repeat(100))).toThrow(section);
  });
});

it("replaces by the text given, dollar signs and all", () => {
  const normalizer = { type: "Replace", pattern: { Regex: "(b)" }, content: "$&$1$$" };
  const model = { type: "WordPiece", vocab: { "a$&$1$$a": 7 } };
  expect(make({ normalizer, model }).encode("aba")).toEqual([7]);
});

describe("the models beside BPE", () => {
  it("take linear time for tokens that begin each other", () => {
    const tokens = Array.from({ length: 900 }, (_, index) => "a".repeat(index + 1));
    const unigram = make({
      model: { type: "Unigram", vocab: tokens.map((token) => [token, -1]), unk_id: 0 },
    });
    const vocab = Object.fromEntries(
      tokens.flatMap((token, id) => [
        [token, id],
        [`##${token}`, 900 + id],
      ]),
    );
    const wordPiece = make({
      model: { type: "WordPiece", vocab, max_input_chars_per_word: 1e9, unk_token: "a" },
    });
    for (const { encode } of [unigram, wordPiece]) {
      expect(growthOf((length) => encode("a".repeat(length)), 4_000)).toBeLessThan(3.5);
    }
  });

  it("encode a word of half a million characters", () => {
    const vocab = [
      ["<unk>", 0],
      ["a", -1],
      ["b", -2],
    ];
    expect(make({ model: { type: "Unigram", vocab, unk_id: 0 } }).encode("ab".repeat(250_000))).toHaveLength(
      500_000,
    );
  });
});
