import { ValidationError } from "@tinkex/base";
import {
  checkSent,
  ModelInput,
  type ModelInputChunk,
  modelInputSchema,
  type TokenSource,
} from "@tinkex/types";

/**
 * Makes a record of a prompt or training input; plain tokens become one chunk of text.
 *
 * @param what - the place as the caller knows it, e.g. `data[3].model_input`
 * @throws ValidationError
 */
export function toModelInput(input: ModelInput | TokenSource, what: string): ModelInput {
  if (typeof input === "string") {
    throw new ValidationError(
      `${what} is a string: encode it first, e.g. (await client.getTokenizer()).encode(text)`,
      { path: [what] },
    );
  }
  if (input === undefined || input === null) {
    throw new ValidationError(`${what} is missing: give token ids, e.g. [1, 2, 3], or a ModelInput`, {
      path: [what],
    });
  }
  const record = typeof input === "object" && "chunks" in input ? input : ModelInput.fromInts(input);
  return checkSent(modelInputSchema, record, what);
}

/** Estimated bytes of a prompt in a JSON body: 10 a token. */
export function promptBytes(prompt: ModelInput): number {
  let bytes = 0;
  for (const chunk of prompt.chunks) bytes += chunkBytes(chunk, 10);
  return bytes;
}

/** Estimated bytes of one chunk of a prompt, at `tokenBytes` a token. */
export function chunkBytes(chunk: ModelInputChunk, tokenBytes: number): number {
  if ("tokens" in chunk) return chunk.tokens.length * tokenBytes;
  if ("dmel" in chunk) return chunk.dmel.length;
  return "location" in chunk ? chunk.location.length : chunk.data.length;
}

/** Tokens of one chunk. An image counts those it declares. */
export function chunkLength(chunk: ModelInputChunk): number {
  if ("tokens" in chunk) return chunk.tokens.length;
  return "expected_tokens" in chunk ? (chunk.expected_tokens ?? 0) : 0;
}
