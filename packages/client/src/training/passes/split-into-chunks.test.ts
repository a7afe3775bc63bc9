import {
  checkReceived,
  clientConfigResponseSchema,
  type Datum,
  type ModelInputChunk,
  type TensorData,
} from "@tinkex/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CURRENT_GENERATION, type Encoding, LEGACY_CHUNK_LIMITS } from "../../session/server-generation.js";
import { DATUM_SIZES, splitIntoChunks } from "./split-into-chunks.js";

const { protobuf: protobufBytes, json: jsonBytes, numbers: numberCount } = DATUM_SIZES;
const DEFAULT_CONFIG = checkReceived(clientConfigResponseSchema, {}, "client/config");

function configuredChunkLimits(encoding: Encoding, limits: { maxLength: number; maxBytes: number }) {
  return CURRENT_GENERATION.chunkLimits(encoding, {
    ...DEFAULT_CONFIG,
    fwdbwd_max_chunk_len: limits.maxLength,
    fwdbwd_max_chunk_bytes_count: limits.maxBytes,
  });
}

const int64 = (length: number): TensorData => ({ data: new Int32Array(length), dtype: "int64" });
const float32 = (length: number): TensorData => ({ data: new Float32Array(length), dtype: "float32" });

/** A datum of 8 + 16 + 8 = 32 bytes in protobuf. */
const small: Datum = {
  model_input: { chunks: [{ tokens: [1, 2] }] },
  loss_fn_inputs: { target_tokens: int64(2), weights: float32(2) },
};

const withChunk = (chunk: ModelInputChunk): Datum => ({
  model_input: { chunks: [chunk] },
  loss_fn_inputs: {},
});
const bytes = (count: number): Datum => withChunk({ data: new Uint8Array(count), format: "png" });
const many = (count: number, datum = small): Datum[] => Array.from({ length: count }, () => datum);

function lengths(data: readonly Datum[], maxLength: number, maxBytes: number): number[] {
  const limits = configuredChunkLimits("protobuf", { maxLength, maxBytes });
  return splitIntoChunks(data, limits).map((chunk) => chunk.data.length);
}

describe("splitIntoChunks", () => {
  it.each([
    [1024, [1024]],
    [1025, [1024, 1]],
    [2049, [1024, 1024, 1]],
  ])("clients 27: cuts %i datums at the default limits", (count, expected) => {
    expect(lengths(many(count), 1024, 5_000_000)).toEqual(expected);
  });

  it("protobuf 34: cuts 1025 datums of one token after the 1024th", () => {
    expect(lengths(many(1025, withChunk({ tokens: [1] })), 1024, 5_000_000)).toEqual([1024, 1]);
  });

  it("protobuf 34: counts 4 bytes a token, 4 or 8 an element and 8 an index of a sparse tensor", () => {
    expect(protobufBytes(withChunk({ tokens: [1, 2, 3] }))).toBe(12);
    expect(protobufBytes(small)).toBe(2 * 4 + 2 * 8 + 2 * 4);
  });

  it("clients 28, protobuf 34: cuts by bytes, and gives a datum beyond the limit a request of its own", () => {
    expect(lengths(many(5), 1024, 64)).toEqual([2, 2, 1]);
    expect(lengths([...many(5), bytes(400), small], 1024, 64)).toEqual([2, 2, 1, 1, 1]);
  });

  it("clients 29: makes no empty chunk", () => {
    expect(lengths(many(3), 1024, 32)).toEqual([1, 1, 1]);
    expect(lengths([bytes(33), small], 1024, 32)).toEqual([1, 1]);
    expect(lengths([], 1024, 32)).toEqual([]);
  });

  it("clients 30, transport 66: estimates each kind of chunk, and sparse tensors by what they store", () => {
    expect(protobufBytes(bytes(1000))).toBe(1000);
    expect(protobufBytes(withChunk({ location: "abc", format: "png" }))).toBe(3);
    expect(protobufBytes(withChunk({ dmel: new Uint8Array(50) }))).toBe(50);
    const sparse: TensorData = {
      data: new Float32Array(3),
      dtype: "float32",
      shape: [4, 8],
      sparse_crow_indices: [0, 1, 2, 3, 3],
      sparse_col_indices: [0, 1, 2],
    };
    expect(protobufBytes({ model_input: { chunks: [] }, loss_fn_inputs: { weights: sparse } })).toBe(76);
  });

  it("measures a JSON body by its digits", () => {
    expect(jsonBytes(small)).toBe(60);
  });

  it("clients 31: keeps to the limits of the 0.4 generation", () => {
    const split = (data: readonly Datum[]) =>
      splitIntoChunks(data, LEGACY_CHUNK_LIMITS).map(({ data }) => data.length);
    expect(split(many(128))).toEqual([128]);
    expect(split(many(129))).toEqual([128, 1]);
    const numbers = (count: number): Datum => ({
      model_input: { chunks: [] },
      loss_fn_inputs: { weights: float32(count) },
    });
    expect(split([numbers(250_000), numbers(250_000)])).toEqual([2]);
    expect(split([numbers(250_000), numbers(250_001)])).toEqual([1, 1]);
    expect(numberCount(withChunk({ data: "", format: "png", expected_tokens: 7 }))).toBe(7);
  });

  it("loses nothing, keeps the order, and takes as much as fits into each chunk", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 120 }), { maxLength: 60 });
    fc.assert(
      fc.property(
        sizes,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 200 }),
        (counts, maxLength, maxBytes) => {
          const data = counts.map(bytes);
          const limits = configuredChunkLimits("protobuf", { maxLength, maxBytes });
          const chunks = splitIntoChunks(data, limits);
          expect(chunks.flatMap((chunk) => chunk.data)).toEqual(data);
          for (const [index, chunk] of chunks.entries()) {
            expect(chunk.data.length).toBeGreaterThan(0);
            expect(chunk.data.length).toBeLessThanOrEqual(maxLength);
            expect(chunk.size).toBe(
              chunk.data.reduce((sum, datum) => sum + DATUM_SIZES[limits.measure](datum), 0),
            );
            expect(chunk.size <= maxBytes || chunk.data.length === 1).toBe(true);
            const next = chunks[index + 1]?.data[0];
            if (next !== undefined) {
              expect(
                chunk.data.length === maxLength || chunk.size + DATUM_SIZES[limits.measure](next) > maxBytes,
              ).toBe(true);
            }
          }
        },
      ),
    );
  });
});
