import type { TensorData } from "@tinkex/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProtoWriter } from "../proto-bytes/proto-writer.js";
import { toHex } from "../testing/hex.js";
import { TensorEntries } from "./write-tensor.js";

type NamedTensor = readonly [key: string, tensor: TensorData];

/** Few keys and lengths, so that tensors alike and not alike follow each other. */
const namedTensor: fc.Arbitrary<NamedTensor> = fc.tuple(
  fc.constantFrom("", "logprobs", "advantages", "größe", "k".repeat(200)),
  fc.oneof(
    fc.constantFrom(0, 1, 40, 700).chain((length) => fc.constantFrom(...tensorsOfLength(length))),
    fc.constant<TensorData>({
      data: [1, 2],
      dtype: "float32",
      shape: [2, 3],
      sparse_crow_indices: [0, 1, 2],
      sparse_col_indices: [0, 2],
    }),
  ),
);

function tensorsOfLength(length: number): TensorData[] {
  const list = Array.from({ length }, (_, index) => index - 20);
  return [
    { data: list, dtype: "int64", shape: [length] },
    { data: Int32Array.from(list), dtype: "int64", shape: [length] },
    { data: BigInt64Array.from(list, BigInt), dtype: "int64", shape: [length] },
    { data: list, dtype: "float32", shape: [length] },
    { data: Float32Array.from(list), dtype: "float32", shape: [length] },
    { data: Float32Array.from(list), dtype: "float32", shape: [1, length] },
    { data: Float32Array.from(list), dtype: "float32" },
  ];
}

/** All maps, by one writer or by a new one for each entry, which has nothing to take over. */
function written(maps: readonly (readonly NamedTensor[])[], kept: boolean): string {
  // Too small, so that it grows between.
  const writer = new ProtoWriter(new Uint8Array(16));
  const entries = new TensorEntries(writer);
  for (const map of maps) {
    for (const [position, [key, tensor]] of map.entries()) {
      const fault = (kept ? entries : new TensorEntries(writer)).write(2, position, key, tensor);
      if (fault !== undefined) throw new Error(fault.message);
    }
  }
  return toHex(writer.finish());
}

describe("TensorEntries", () => {
  it("writes the same bytes whether or not it takes over those around the tensor before", () => {
    const maps = fc.array(fc.array(namedTensor, { maxLength: 4 }), { maxLength: 8 });
    fc.assert(
      fc.property(maps, (given) => {
        expect(written(given, true)).toBe(written(given, false));
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it("finds a bad element also in a tensor like the one before", () => {
    const entries = new TensorEntries(new ProtoWriter(new Uint8Array(256)));
    const tensor = (data: number[]): TensorData => ({ data, dtype: "int64", shape: [data.length] });
    expect(entries.write(2, 0, "weights", tensor([1, 2, 3]))).toBeUndefined();
    expect(entries.write(2, 0, "weights", tensor([1, 2.5, 3]))).toMatchObject({ field: "data", index: 1 });
  });
});
