import { checkArray, checkNumberList, checkObject, ValidationError } from "@tinkex/base";
import * as z from "zod";
import { chunkType, type ModelInputChunk, modelInputChunkSchema, type TokenSource, toTokenIds } from "./chunks.js";
import { dmelLength } from "./dmel-length.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { sentObject } from "../../schema/objects.js";
import { zodOf } from "../../schema/zod-of.js";

/** Input of the model: tokens, images and audio in order. */
export interface ModelInput {
  readonly chunks: readonly ModelInputChunk[];
}

/** Makes and reads {@link ModelInput} records. */
export const ModelInput = {
  /**
   * Makes one text chunk of these tokens: a list, an integer typed array or a tf.Tensor of dtype `int32`. An empty array still makes
   * one chunk.
   *
   * @throws ValidationError for what holds no integers
   */
  fromInts(tokens: TokenSource): ModelInput {
    return { chunks: [{ tokens: toTokenIds(tokens, "ModelInput.fromInts: tokens"), type: "encoded_text" }] };
  },

  /** Makes an input of no chunks. */
  empty(): ModelInput {
    return { chunks: [] };
  },

  /** Gives `input` with one more chunk behind; `input` itself stays as it is. */
  append(input: ModelInput, chunk: ModelInputChunk): ModelInput {
    checkModelInput(input, "ModelInput.append");
    checkObject(chunk, "ModelInput.append: chunk", '{ type: "encoded_text", tokens: [1] }');
    return { chunks: [...input.chunks, chunk] };
  },

  /** Gives `input` with one more token behind, as a chunk of its own. */
  appendInt(input: ModelInput, token: number): ModelInput {
    checkModelInput(input, "ModelInput.appendInt");
    return { chunks: [...input.chunks, { tokens: [token], type: "encoded_text" }] };
  },

  /**
   * Gives all tokens in order.
   *
   * @throws ValidationError when a chunk is not text
   */
  toInts(input: ModelInput): number[] {
    checkModelInput(input, "ModelInput.toInts");
    const tokens: number[] = [];
    for (const [index, chunk] of input.chunks.entries()) {
      if (!("tokens" in chunk)) {
        throw new ValidationError(`chunks[${index}] is ${chunkType(chunk)}, not text: it has no token ids`, {
          path: ["chunks", index],
        });
      }
      checkNumberList(chunk.tokens, `chunks[${index}].tokens`);
      for (const token of chunk.tokens) tokens.push(token);
    }
    return tokens;
  },

  /**
   * Counts the tokens.
   *
   * @throws ValidationError when an image does not say how many tokens it takes
   */
  length(input: ModelInput): number {
    checkModelInput(input, "ModelInput.length");
    return input.chunks.reduce((sum, chunk, index) => sum + chunkLength(chunk, index), 0);
  },
} as const;

/** Checks what plain JavaScript may pass for an input: an object whose chunks are objects. */
function checkModelInput(input: unknown, method: string): void {
  checkObject(input, `${method}: input`, "ModelInput.fromInts([1, 2])");
  const { chunks } = input as Partial<ModelInput>;
  checkArray(chunks, `${method}: input.chunks`);
  for (const [index, chunk] of chunks.entries()) checkObject(chunk, `${method}: input.chunks[${index}]`);
}

function chunkLength(chunk: ModelInputChunk, index: number): number {
  if ("tokens" in chunk) {
    checkNumberList(chunk.tokens, `chunks[${index}].tokens`);
    return chunk.tokens.length;
  }
  if ("dmel" in chunk) return dmelLength(chunk.dmel, index);
  if (chunk.expected_tokens !== undefined) return chunk.expected_tokens;
  throw new ValidationError(
    `chunks[${index}] is ${chunkType(chunk)} without expected_tokens: its length is known to the server only`,
    { path: ["chunks", index, "expected_tokens"] },
  );
}

export const modelInputSchema: RecordSchema<ModelInput> = sentObject(() => ({
  chunks: z.array(zodOf(modelInputChunkSchema)),
}));
