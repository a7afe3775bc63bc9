import { ValidationError } from "@tinkex/base";
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

it("reads ids as decode does: bigints of int64 tensors are numbers, and what is no id is refused with its place", async () => {
  const tokenizer = await loadRecordedTokenizer("tiny");
  const encode = (...lists: readonly unknown[]) =>
    encodeChunks(
      tokenizer,
      lists.map((ids) => Object({ ids })),
    );
  expect(encode([7n], BigInt64Array.of(8n, 9n), Int32Array.of(1))).toEqual([[7], [8, 9], [1]]);
  expect(() => encode([1], [2, "3"])).toThrow(ValidationError);
  expect(() => encode([1], [2, "3"])).toThrow('chunks[1].ids[1] must be a token id, got "3"');
  expect(() => encode([null])).toThrow("chunks[0].ids[0] must be a token id, got null");
});
