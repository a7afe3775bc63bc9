import type { ModelInput } from "@tinkex/types";
import { chunkBytes } from "../training/passes/datum-size.js";

/** Estimated bytes of a prompt in a JSON body: 10 a token. */
export function promptBytes(prompt: ModelInput): number {
  return prompt.chunks.reduce((sum, chunk) => sum + chunkBytes(chunk, 10), 0);
}
