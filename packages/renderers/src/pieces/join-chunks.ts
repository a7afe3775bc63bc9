import type { ModelInputChunk } from "@tinkex/types";

/** Chunks such that the tokens between two that are no text are one chunk. */
export function joinChunks(chunks: readonly ModelInputChunk[]): ModelInputChunk[] {
  const joined: (ModelInputChunk | { tokens: number[]; type: "encoded_text" })[] = [];
  for (const chunk of chunks) {
    const last = joined.at(-1);
    if (!("tokens" in chunk)) joined.push(chunk);
    else if (last !== undefined && "tokens" in last && Array.isArray(last.tokens))
      last.tokens.push(...chunk.tokens);
    else joined.push({ tokens: [...chunk.tokens], type: "encoded_text" });
  }
  return joined;
}
