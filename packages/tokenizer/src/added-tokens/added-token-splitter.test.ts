import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AddedToken } from "../file-format/tokenizer-json.js";
import { growthOf } from "../testing/growth-of.js";
import { createTokenizer } from "../tokenizer/create-tokenizer.js";

interface RecordedAddedTokens {
  readonly normalizer: object;
  readonly added_tokens: readonly AddedToken[];
  readonly cases: readonly {
    readonly text: string;
    /** Ids when special tokens in the text are ids, */
    readonly all: readonly number[];
    /** and when they are text. */
    readonly none: readonly number[];
    readonly decode: string;
    readonly decode_skip_special: string;
  }[];
}

const read = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), "utf8"));

// Python's `tokenizers` on texts full of tokens with every flag: stripping, single words, normalised spelling, special
// or not, one inside the other.
describe("added tokens in a text, against Python", () => {
  const recorded: RecordedAddedTokens = read("goldens/added-tokens.json");
  const base = read("tiny/tokenizer.json");
  const tokenizer = createTokenizer({
    tokenizer: {
      ...base,
      normalizer: recorded.normalizer,
      added_tokens: [...base.added_tokens, ...recorded.added_tokens],
    },
  });

  it.each(recorded.cases)("$text", ({ text, all, none, decode, decode_skip_special: skipped }) => {
    expect(tokenizer.encode(text, { allowedSpecial: "all" })).toEqual(all);
    expect(tokenizer.encode(text)).toEqual(none);
    expect(tokenizer.decode(all)).toBe(decode);
    expect(tokenizer.decode(all, { skipSpecialTokens: true })).toBe(skipped);
  });
});

describe("a token that is white space, beside tokens that take white space along", () => {
  const VOCABULARY = { "<unk>": 0, a: 1, b: 2, "\n": 3, " b": 4 };
  const model = { type: "WordLevel", vocab: VOCABULARY, unk_token: "<unk>" };
  const newline = { id: 3, content: "\n", normalized: false };
  const taking = { id: 5, content: "<a>", normalized: false, rstrip: true };

  // The ids of Python's `tokenizers` 0.23.3, which gives a token twice where one before has taken it along, and none that has nothing left.
  it.each([
    [[{ ...newline, lstrip: true, rstrip: true }], "a\n\nb", [1, 3, 2]],
    [[{ ...newline, lstrip: true, rstrip: true }], "a\n \n b", [1, 3, 2]],
    [[{ ...newline, lstrip: true, rstrip: true }], "\n\n", [3]],
    [[{ ...newline, rstrip: true }], "\n\n\n", [3, 3, 3]],
    [[{ ...newline, lstrip: true }], "a\n \n b", [1, 3, 3, 4]],
    [[taking, newline], "<a>\n\n b", [5, 3, 3, 4]],
    [[taking, newline], "<a> \n b", [5, 3, 4]],
    [[taking, newline], "<a>\n", [5, 3]],
    [[taking, { ...newline, lstrip: true }], "<a>\n", [5]],
  ])("%j in %j", (added_tokens, text, ids) => {
    expect(createTokenizer({ tokenizer: { model, added_tokens } }).encode(text)).toEqual(ids);
  });
});

it("takes white space along in linear time where each of it is a token", () => {
  const added_tokens = [{ id: 1, content: "\n", normalized: false, rstrip: true }];
  const tokenizer = createTokenizer({
    tokenizer: { model: { type: "WordLevel", vocab: { "<unk>": 0 }, unk_token: "<unk>" }, added_tokens },
  });
  expect(growthOf((length) => tokenizer.encode("\n".repeat(length)), 400_000)).toBeLessThan(3.5);
});

describe("a normaliser that drops the beginning of a text", () => {
  const model = { type: "WordLevel", vocab: { "<unk>": 0, a: 1, "\u2581a": 2 }, unk_token: "<unk>" };
  const pre_tokenizer = { type: "Metaspace", replacement: "\u2581", prepend_scheme: "first", split: false };
  const strip = { type: "Strip", strip_left: true, strip_right: true };
  const without = { type: "Replace", pattern: { String: "b" }, content: "" };

  // Python's `tokenizers` 0.23.3: what is left begins behind the beginning, and is not the first there is.
  it.each([
    [strip, " a", [1]],
    [strip, "a", [2]],
    [{ type: "StripAccents" }, "\u0301a", [1]],
    [without, "ba", [1]],
    [
      { type: "BertNormalizer", clean_text: true, handle_chinese_chars: false, lowercase: false },
      "\ufeffa",
      [1],
    ],
  ])("leaves nothing that Metaspace takes for the first: %j, %j", (normalizer, text, ids) => {
    expect(createTokenizer({ tokenizer: { model, normalizer, pre_tokenizer } }).encode(text)).toEqual(ids);
  });
});
