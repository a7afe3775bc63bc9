import { readFileSync } from "node:fs";
import type { TensorData as TensorRecord } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { TensorData } from "./tensor-data.js";
import { toNumbers } from "./to-numbers.js";
import { toSparse } from "./to-sparse.js";

/** What the official SDK makes of torch matrices, which it sends sparse where that is smaller. */
interface Recording {
  readonly group: string;
  readonly name: string;
  readonly input: { readonly lib?: string; readonly key?: string; readonly values?: number[][] };
  readonly tensor?: TensorRecord & { readonly data: readonly number[] };
}

const recordings: Recording[] = JSON.parse(
  readFileSync(new URL("../fixtures/tensordata.json", import.meta.url), "utf8"),
);
const sparsified = recordings.filter(
  ({ group, input }) =>
    group === "datum 2-D" && input.lib === "torch" && ["target_tokens", "weights"].includes(input.key ?? ""),
);

describe("toSparse", () => {
  it.each(sparsified)("decides as the official SDK does: $name", ({ input, tensor }) => {
    const sparse = toSparse(TensorData.from(input.values ?? [], { key: input.key }));
    expect({ ...sparse, data: toNumbers(sparse) }).toEqual(tensor);
  });

  it("has recordings of both decisions", () => {
    expect(new Set(sparsified.map(({ tensor }) => tensor?.sparse_crow_indices !== undefined)).size).toBe(2);
  });

  it("lists NaN and leaves out a negative zero, as the official SDK does", () => {
    const sparse = toSparse(
      TensorData.from(Float32Array.of(Number.NaN, 0, 0, 0, -0, 0, 0, 0), { shape: [1, 8] }),
    );
    expect(sparse).toEqual({
      data: Float32Array.of(Number.NaN),
      dtype: "float32",
      shape: [1, 8],
      sparse_crow_indices: [0, 1],
      sparse_col_indices: [0],
    });
  });

  it("lists zeros when another value is the padding", () => {
    const data = new BigInt64Array(16).fill(-1n);
    data[4] = 0n;
    expect(toSparse({ data, dtype: "int64", shape: [4, 4] }, { padValue: -1 })).toEqual({
      data: BigInt64Array.of(0n),
      dtype: "int64",
      shape: [4, 4],
      sparse_crow_indices: [0, 0, 1, 1, 1],
      sparse_col_indices: [0],
    });
  });

  it.each<[string, TensorRecord]>([
    ["one dimension", { data: new Float32Array(100), dtype: "float32" }],
    ["a scalar", { data: [0], dtype: "float32", shape: [] }],
    ["three dimensions", { data: new Float32Array(100), dtype: "float32", shape: [5, 5, 4] }],
    [
      "one column, where pointers outnumber elements",
      { data: new Int32Array(9), dtype: "int64", shape: [9, 1] },
    ],
    ["no rows", { data: [], dtype: "int64", shape: [0, 7] }],
  ])("leaves %s alone", (_name, tensor) => {
    expect(toSparse(tensor)).toBe(tensor);
  });

  it("refuses a shape that does not fit, and names it", () => {
    expect(() => toSparse({ data: [1, 2, 3], dtype: "float32", shape: [2, 2] }, { key: "weights" })).toThrow(
      "loss_fn_inputs.weights: shape [2, 2] does not hold 3 elements",
    );
  });
});
