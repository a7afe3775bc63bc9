import type { ModelInput } from "@tinkex/types";

/** All tokens of an input in order; an image has none. */
export function idsOf({ chunks }: ModelInput): number[] {
  return chunks.flatMap((chunk) => ("tokens" in chunk ? [...chunk.tokens] : []));
}
