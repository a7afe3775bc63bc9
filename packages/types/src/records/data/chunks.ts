import { checkObject } from "@tinkex/base";
import {
  checkNumberList,
  DETACHED,
  describeValue,
  isDetached,
  isTfTensorLike,
  type Int64Data,
  type TensorData,
  type TfTensorLike,
  ValidationError,
} from "@tinkex/base";
import * as z from "zod";
import { fromBase64 } from "./base64.js";
import { closedName, sentType, unknownName } from "../../schema/names.js";
import { oneOfKinds } from "../../schema/one-of-kinds.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { sentObject } from "../../schema/objects.js";
import { zodOf } from "../../schema/zod-of.js";

/** Token ids, each in the range of int32. */
export type TokenIds = readonly number[] | Int32Array;

/** Values that token ids are taken from: a list, an integer typed array, a tf.Tensor of dtype `int32` or a tensor of dtype `int64`. */
export type TokenSource =
  | TokenIds
  | IntegerTypedArray
  | BigInt64Array
  | BigUint64Array
  | TfTensorLike
  | TensorData;

type IntegerTypedArray = Int8Array | Int16Array | Uint8Array | Uint8ClampedArray | Uint16Array | Uint32Array;

/**
 * Gives token ids as a record holds them: lists and `Int32Array`s as they are, others as numbers. The schema says whether each is an id.
 *
 * @param what - place of the tokens in messages
 * @throws ValidationError for what holds no integers
 */
export function toTokenIds(tokens: TokenSource, what: string): TokenIds {
  if (Array.isArray(tokens) || (tokens instanceof Int32Array && tokens.length > 0)) return tokens;
  if (isTfTensorLike(tokens)) return tensorTokens(tokens, what);
  if (typeof tokens === "object" && tokens !== null && "dtype" in tokens) return dataTokens(tokens, what);
  checkNumberList(tokens, what);
  if (tokens instanceof Int32Array) return tokens;
  const kind = Object.prototype.toString.call(tokens).slice("[object ".length, -1);
  if (kind.startsWith("Float"))
    throw new ValidationError(`${what} must be integers, got a ${kind}; Int32Array.from rounds them off`, {
      path: [what],
    });
  return Array.from<number | bigint, number>(tokens, Number);
}

function tensorTokens(tensor: TfTensorLike, what: string): TokenIds {
  if (tensor.dtype !== "int32" || tensor.shape.length !== 1) {
    const given = `dtype ${tensor.dtype} and shape [${tensor.shape.join(", ")}]`;
    throw new ValidationError(`${what} must be a tensor of dtype int32 and one dimension, got ${given}`, {
      path: [what],
    });
  }
  try {
    return Int32Array.from(tensor.dataSync(), Number);
  } catch (cause) {
    throw new ValidationError(
      `${what} is a tensor that cannot be read at once; pass await tensor.data()`,
      { path: [what], cause },
    );
  }
}

function dataTokens({ data, dtype, shape, ...sparse }: TensorData, what: string): TokenIds {
  // One that came out of JSON may have null for its shape.
  if (dtype !== "int64" || (shape?.length ?? 1) !== 1 || sparse.sparse_crow_indices)
    throw new ValidationError(`${what} must be a dense int64 tensor of one dimension`, { path: [what] });
  checkNumberList(data, what);
  // Floats are refused there, whatever the tensor says.
  return toTokenIds(data as Int64Data, what);
}

/** A run of tokens. */
export interface EncodedTextChunk {
  readonly tokens: TokenIds;
  readonly type?: "encoded_text" | undefined;
}

/** An image file that travels with the request. Since 0.3; in this form since 0.6. */
export interface ImageChunk {
  /** The file's bytes, or their base64 text. */
  readonly data: Uint8Array | string;
  readonly format: ImageFormat;
  /**
   * Number of tokens that the image will take. The server counts for itself and refuses early when this differs.
   * Without it the length of the prompt is not known on this side.
   */
  readonly expected_tokens?: number | undefined;
  /** Pixels, like `width`. Servers of the 0.4 generation need both, and `expected_tokens`; later ones are not sent them. */
  readonly height?: number | undefined;
  readonly width?: number | undefined;
  readonly type?: "image" | undefined;
}

/** An image that the server fetches from a path or URL. Not possible in training requests over protobuf. */
export interface ImageAssetPointerChunk {
  readonly location: string;
  readonly format: ImageFormat;
  /** As in {@link ImageChunk.expected_tokens}. */
  readonly expected_tokens?: number | undefined;
  /** As in {@link ImageChunk.height}. */
  readonly height?: number | undefined;
  readonly width?: number | undefined;
  readonly type?: "image_asset_pointer" | undefined;
}

/** Audio as tokens. Since 0.23. */
export interface DmelChunk {
  /** A serialised TensorContainer, or its base64 text. Its first dimension is the number of tokens. */
  readonly dmel: Uint8Array | string;
  readonly type?: "dmel" | undefined;
}

/** File formats of images. */
export type ImageFormat = "png" | "jpeg";

/** One piece of a prompt. Told apart by `type`, or by its fields where `type` is left out. */
export type ModelInputChunk = EncodedTextChunk | ImageChunk | ImageAssetPointerChunk | DmelChunk;

/** The kind of a chunk, also of one that leaves `type` out. */
export type ChunkType = "encoded_text" | "image" | "image_asset_pointer" | "dmel";

/** Finds the kind of a chunk. */
export function chunkType(chunk: ModelInputChunk): ChunkType {
  if (typeof chunk !== "object" || chunk === null) checkObject(chunk, "chunkType: chunk");
  if (chunk.type !== undefined) return chunk.type;
  if ("location" in chunk) return "image_asset_pointer";
  // Before "tokens": an image of a 0.4 client has a number under that name.
  if ("data" in chunk) return "image";
  return "dmel" in chunk ? "dmel" : "encoded_text";
}

export const tokenIdsSchema: RecordSchema<TokenIds> = z
  .custom<TokenIds>()
  .check((context) => {
    const { value: tokens, issues } = context;
    if (tokens instanceof Int32Array) {
      if (tokens.length === 0 && isDetached(tokens))
        issues.push({ code: "custom", message: DETACHED, input: tokens });
      return;
    }
    if (!Array.isArray(tokens)) {
      issues.push({ code: "custom", message: "must be a list of token ids", input: tokens });
      return;
    }
    const index = firstNotTokenId(tokens);
    if (index === -1) return;
    const token: unknown = tokens[index];
    const message = `must be a token id (an integer of 32 bits), got ${describeValue(token)}`;
    issues.push({ code: "custom", message, path: [index], input: token });
  })
  .meta({ type: "array", items: { type: "integer" } });

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/** Finds the index of the first element that is no integer of 32 bits, as token ids are; -1 where there is none. */
export function firstNotTokenId(values: ArrayLike<unknown>): number {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (typeof value !== "number" || !Number.isInteger(value) || value < INT32_MIN || value > INT32_MAX)
      return index;
  }
  return -1;
}

const bytesSchema = z
  .custom<Uint8Array | string>(isBytes, "must be bytes (Uint8Array) or base64 text")
  .meta({ type: "string", contentEncoding: "base64" });

function isBytes(value: unknown): boolean {
  if (value instanceof Uint8Array) return value.length > 0 || !isDetached(value);
  if (typeof value !== "string") return false;
  try {
    fromBase64(value);
    return true;
  } catch {
    return false;
  }
}

const imageFormatSchema = closedName(["png", "jpeg"]);
const optionalCountSchema = z.int().nonnegative().optional();

export const encodedTextChunkSchema: RecordSchema<EncodedTextChunk> = sentObject(() => ({
  tokens: zodOf(tokenIdsSchema),
  type: sentType("encoded_text"),
}));

/** Reads the tokens of an image as clients of the 0.4 generation name them. */
function withExpectedTokens(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.hasOwn(fields, "tokens") ? { ...fields, expected_tokens: fields.tokens } : fields;
}

export const imageChunkSchema: RecordSchema<ImageChunk> = sentObject(() => ({
  data: bytesSchema,
  format: imageFormatSchema,
  expected_tokens: optionalCountSchema,
  height: optionalCountSchema,
  width: optionalCountSchema,
  type: sentType("image"),
}), { readReceived: withExpectedTokens });

export const imageAssetPointerChunkSchema: RecordSchema<ImageAssetPointerChunk> = sentObject(() => ({
  location: z.string().min(1),
  format: imageFormatSchema,
  expected_tokens: optionalCountSchema,
  height: optionalCountSchema,
  width: optionalCountSchema,
  type: sentType("image_asset_pointer"),
}), { readReceived: withExpectedTokens });

export const dmelChunkSchema: RecordSchema<DmelChunk> = sentObject(() => ({
  dmel: bytesSchema,
  type: sentType("dmel"),
}));

const schemaOfType: Readonly<Record<ChunkType, z.ZodType<ModelInputChunk, ModelInputChunk>>> = {
  encoded_text: zodOf(encodedTextChunkSchema),
  image: zodOf(imageChunkSchema),
  image_asset_pointer: zodOf(imageAssetPointerChunkSchema),
  dmel: zodOf(dmelChunkSchema),
};

export const modelInputChunkSchema: RecordSchema<ModelInputChunk> = oneOfKinds(
  Object.values(schemaOfType),
  (value) => {
    const type: unknown =
      "type" in value && value.type !== undefined ? value.type : chunkType(value as ModelInputChunk);
    const names = Object.keys(schemaOfType);
    if (typeof type === "string" && Object.hasOwn(schemaOfType, type)) return schemaOfType[type as ChunkType];
    return `type: ${unknownName(type, names)}`;
  },
);
