import { ValidationError } from "@tinkex/base";
import type { ModelInputChunk } from "@tinkex/types";
import type { SupervisedExample } from "./renderer.js";

/** Collects the chunks of a document with their weights. */
export function weightRuns(): {
  add(chunks: readonly ModelInputChunk[], weight: number): void;
  example(): SupervisedExample;
} {
  const chunks: ModelInputChunk[] = [];
  const runs: { readonly length: number; readonly weight: number }[] = [];
  return {
    add(added, weight) {
      for (const chunk of added) {
        chunks.push(chunk);
        runs.push({ length: chunkLength(chunk), weight });
      }
    },
    example() {
      const weights = new Float32Array(runs.reduce((sum, { length }) => sum + length, 0));
      let start = 0;
      for (const { length, weight } of runs) {
        weights.fill(weight, start, start + length);
        start += length;
      }
      return { modelInput: { chunks }, weights };
    },
  };
}

/**
 * Counts the tokens that a chunk takes.
 *
 * @throws ValidationError when it is an image that does not say
 */
export function chunkLength(chunk: ModelInputChunk): number {
  if ("tokens" in chunk) return chunk.tokens.length;
  if ("expected_tokens" in chunk && chunk.expected_tokens !== undefined) return chunk.expected_tokens;
  throw new ValidationError(
    "an image of the conversation does not say how many tokens it takes; set its expected_tokens",
    { path: ["messages"] },
  );
}
