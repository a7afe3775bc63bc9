import type { Tokenizer } from "@tinkex/base";

/** A stretch of a document that is encoded on its own: text, or ids that are known already. */
export type TextChunk =
  | {
      readonly text: string;
      /** As in {@link EncodeOptions}; leave it out for what a user wrote. @defaultValue [] */
      readonly allowedSpecial?: "all" | readonly string[];
    }
  | { readonly ids: readonly number[] };

/**
 * Encodes each chunk on its own and drops those without ids, which the service would refuse. Joined, the ids are not
 * always those of the whole text (`"\n"` before `"\n\nHi"` stays two tokens); the chunks of a chat are encoded this
 * way so that a message has the same ids wherever it stands.
 */
export function encodeChunks(tokenizer: Tokenizer, chunks: readonly TextChunk[]): number[][] {
  return chunks
    .map((chunk) =>
      "ids" in chunk
        ? [...chunk.ids]
        : tokenizer.encode(chunk.text, {
            addSpecialTokens: false,
            allowedSpecial: chunk.allowedSpecial ?? [],
          }),
    )
    .filter((ids) => ids.length > 0);
}
