import type { ModelInputChunk } from "@tinkex/types";
import { chunkLength } from "../renderer/weight-runs.js";

/**
 * The beginning of a document of `maxLength` tokens at most. An image stays whole or goes; empty chunks go, and so do images at the
 * end, since there must be a token to predict behind them.
 */
export function truncateChunks(chunks: readonly ModelInputChunk[], maxLength: number): ModelInputChunk[] {
  const kept: ModelInputChunk[] = [];
  let room = maxLength;
  for (const chunk of chunks) {
    const length = chunkLength(chunk);
    if (length === 0) continue;
    if (length > room) {
      if ("tokens" in chunk && room > 0) kept.push({ ...chunk, tokens: chunk.tokens.slice(0, room) });
      break;
    }
    kept.push(chunk);
    room -= length;
  }
  return kept.slice(0, kept.findLastIndex((chunk) => "tokens" in chunk) + 1);
}
