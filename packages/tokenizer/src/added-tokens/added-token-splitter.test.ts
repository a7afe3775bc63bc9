import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AddedToken } from "../file-format/tokenizer-json.js";
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
