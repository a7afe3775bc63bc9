import { ValidationError } from "@tinkex/base";
import { checkSent, fromBase64, type ModelInputChunk, modelInputChunkSchema } from "@tinkex/types";
import { countNames, countSet } from "./count-names.js";

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
    (chunk.tokens instanceof Int32Array || Array.isArray(chunk.tokens)) &&
    (chunk.type === undefined || chunk.type === "encoded_text") &&
    countNames(chunk) === 1 + countSet(chunk.type);
  if (!isText) checkSent(modelInputChunkSchema, chunk, `data[${datum}].model_input.chunks[${position}]`);
}

/** Bytes of a chunk's content as protobuf. */
export function chunkBytes(chunk: ModelInputChunk): number {
  if ("tokens" in chunk) return chunk.tokens.length * 4;
  if ("dmel" in chunk) return chunk.dmel.length;
  return "data" in chunk ? chunk.data.length : 0;
}

/**
 * The bytes of an image or of audio, which may be given as base64 text.
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
