import type { Tokenizer } from "@tinkex/base";
import { checkArray, checkFunction, checkNumberList, checkObject, checkString } from "@tinkex/base";
import { tokenIdAt } from "./token-id-at.js";

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
 *
 * @throws ValidationError naming the chunk that is neither text nor ids
 */
export function encodeChunks(tokenizer: Tokenizer, chunks: readonly TextChunk[]): number[][] {
  checkObject(tokenizer, "encodeChunks: tokenizer", "await getTokenizer(model)");
  checkFunction(tokenizer.encode, "encodeChunks: tokenizer.encode");
  checkArray(chunks, "encodeChunks: chunks");
  const encodeChunk = (chunk: TextChunk, index: number): readonly number[] => {
    checkObject(chunk, `chunks[${index}]`, '{ text: "Hi" }');
    if ("ids" in chunk) {
      const { ids } = chunk;
      checkNumberList(ids, `chunks[${index}].ids`);
      return Array.from({ length: ids.length }, (_, at) => tokenIdAt(ids, at, `chunks[${index}].ids`));
    }
    checkString(chunk.text, `chunks[${index}].text`);
    return tokenizer.encode(chunk.text, {
      addSpecialTokens: false,
      allowedSpecial: chunk.allowedSpecial ?? [],
    });
  };
  return chunks.map((chunk, index) => [...encodeChunk(chunk, index)]).filter((ids) => ids.length > 0);
}
