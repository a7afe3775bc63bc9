import type { ModelInputChunk } from "@tinkex/types";

/** Joins the token chunks that stand between two images, or other chunks without tokens. */
export function joinChunks(chunks: readonly ModelInputChunk[]): ModelInputChunk[] {
  const joined: (ModelInputChunk | { tokens: number[]; type: "encoded_text" })[] = [];
  for (const chunk of chunks) {
    const last = joined.at(-1);
    if (!("tokens" in chunk)) joined.push(chunk);
    else if (last !== undefined && "tokens" in last && Array.isArray(last.tokens))
      for (const id of chunk.tokens) last.tokens.push(id);
    else joined.push({ tokens: [...chunk.tokens], type: "encoded_text" });
  }
  return joined;
}
