import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { encodeChunks, type TextChunk } from "./encode-chunks.js";
import { loadRecordedTokenizer } from "./testing/recorded-tokenizers.js";

interface RecordedChunks {
  readonly cases: readonly {
    readonly renderer: string;
    readonly conversation: string;
    readonly tokenizer: "qwen3" | "llama3_1";
    readonly chunks: readonly (TextChunk & { readonly text: string; readonly ids: readonly number[] })[];
    /** The ids of the joined text, which differ. */
    readonly whole: readonly number[];
  }[];
}

// Chats as the Python cookbook's renderers encode them, chosen for ids that differ from those of the whole text.
describe("chunks against the cookbook's renderers", () => {
  const recorded: RecordedChunks = JSON.parse(
    readFileSync(new URL("../fixtures/goldens/chunks.json", import.meta.url), "utf8"),
  );

  it.each(recorded.cases)("$renderer: $conversation", async ({ tokenizer: name, chunks, whole }) => {
    const tokenizer = await loadRecordedTokenizer(name);
    const texts = chunks.map(({ ids: _, ...chunk }) => chunk);
    expect(encodeChunks(tokenizer, texts)).toEqual(chunks.map((chunk) => chunk.ids));
    const joined = texts.map((chunk) => chunk.text).join("");
    expect(tokenizer.encode(joined, { allowedSpecial: "all" })).toEqual(whole);
  });
});

it("takes ids as they are and drops empty chunks", async () => {
  const tokenizer = await loadRecordedTokenizer("tiny");
  expect(encodeChunks(tokenizer, [{ ids: [1] }, { text: "" }, { ids: [] }, { text: "a" }])).toEqual([
    [1],
    [72],
  ]);
});
