import { expect, it } from "vitest";
import { loadRecordedTokenizer } from "../testing/recorded-tokenizers.js";
import { wellFormed } from "./well-formed.js";

it("replaces halves of characters and leaves whole ones", () => {
  expect(wellFormed("a\ud83d b\udd80 \u{1f980} \udd80\ud83d")).toBe("a\uFFFD b\uFFFD \u{1f980} \uFFFD\uFFFD");
});

it("comes before a text is split into words, where half a character is of no class", async () => {
  const tokenizer = await loadRecordedTokenizer("deepseek_v3");
  expect(tokenizer.encode("!\ud83d!")).toEqual(tokenizer.encode("!\uFFFD!"));
});
