import { ValidationError } from "@tinkex/base";
import { checkSent, fromBase64, type ModelInputChunk, modelInputChunkSchema } from "@tinkex/types";

/**
 * Checks a chunk. Text as most chunks are is looked at here; the schema of chunks takes the others, and says what is wrong with
 * them.
 *
 * @throws ValidationError that names the chunk
 */
export function checkChunk(chunk: ModelInputChunk | undefined, datum: number, position: number): void {
  const isText =
    typeof chunk === "object" &&
    chunk !== null &&
    "tokens" in chunk &&
    (Array.isArray(chunk.tokens) || (chunk.tokens instanceof Int32Array && chunk.tokens.byteLength > 0)) &&
    (chunk.type === undefined || chunk.type === "encoded_text") &&
    countNames(chunk) === 1 + countSet(chunk.type);
  if (!isText) checkSent(modelInputChunkSchema, chunk, `data[${datum}].model_input.chunks[${position}]`);
}

/**
 * Counts the names in an object. Where there are as many as fields that are known and set, none is unknown: counting is what every
 * tensor of a batch can afford, `checkKnownNames` looks closer where the numbers differ.
 */
export function countNames(value: object): number {
  let count = 0;
  for (const _ in value) count += 1;
  return count;
}

/** Gives 1 for a field that is set, 0 for one that is not. */
export function countSet(field: unknown): number {
  return field === undefined ? 0 : 1;
}

/**
 * Gives the bytes of an image or of audio, which may be given as base64.
 *
 * @throws ValidationError that names the chunk
 */
export function bytesOfChunk(
  bytes: Uint8Array | string,
  field: "data" | "dmel",
  datum: number,
  position: number,
): Uint8Array {
  if (typeof bytes !== "string") return bytes;
  try {
    return fromBase64(bytes);
  } catch (cause) {
    throw new ValidationError(
      `forward_backward: data[${datum}].model_input.chunks[${position}].${field} is not base64 text: check its alphabet and padding`,
      { path: ["data", datum, "model_input", "chunks", position, field], cause },
    );
  }
}
