import { expect, it } from "vitest";
import { loadRecordedTokenizer } from "../testing/recorded-tokenizers.js";
import { encodeChunks } from "./encode-chunks.js";

// Against the cookbook's renderers: see goldens.test.ts.
it("takes ids as they are and drops empty chunks", async () => {
  const tokenizer = await loadRecordedTokenizer("tiny");
  expect(encodeChunks(tokenizer, [{ ids: [1] }, { text: "" }, { ids: [] }, { text: "a" }])).toEqual([
    [1],
    [72],
  ]);
});
