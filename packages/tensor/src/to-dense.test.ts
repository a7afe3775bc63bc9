import { ValidationError } from "@tinkex/base";
import type { TensorData } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { toDense } from "./to-dense.js";
import { toNested } from "./to-nested.js";

const csr: TensorData = {
  data: [1, 2],
  dtype: "float32",
  shape: [3, 4],
  sparse_crow_indices: [0, 1, 1, 2],
  sparse_col_indices: [1, 3],
};

describe("toDense", () => {
  it("wire-types 26: puts each listed element where its row and column say", () => {
    expect(toNested(csr)).toEqual([
      [0, 1, 0, 0],
      [0, 0, 0, 0],
      [0, 0, 0, 2],
    ]);
    expect(toDense(csr)).toEqual({
      data: Float32Array.of(0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2),
      dtype: "float32",
      shape: [3, 4],
    });
  });

  it("wire-types 26: refuses a tensor without its column indices", () => {
    expect(() => toDense({ ...csr, sparse_col_indices: undefined }, { key: "weights" })).toThrow(
      /^loss_fn_inputs\.weights: sparse_col_indices is missing/,
    );
  });

  // torch.sparse_csr_tensor with check_invariants, by which `TensorData.to_torch` of tinker 0.38.0 reads one.
  it.each([
    ["twice the same", [0, 2, 2, 3], [1, 1, 0], 1, 0],
    ["not in order", [0, 0, 3, 3], [0, 3, 2], 2, 1],
  ])("refuses columns of a row that are %s", (_name, crow, columns, index, row) => {
    const tensor: TensorData = {
      ...csr,
      data: [1, 2, 3],
      sparse_crow_indices: crow,
      sparse_col_indices: columns,
    };
    expect(() => toDense(tensor, { key: "weights" })).toThrow(ValidationError);
    expect(() => toDense(tensor, { key: "weights" })).toThrow(
      `loss_fn_inputs.weights.sparse_col_indices[${index}]: must be above the column before it in row ${row}`,
    );
  });

  it("takes the same column in rows that follow each other", () => {
    const tensor: TensorData = { ...csr, sparse_crow_indices: [0, 1, 1, 2], sparse_col_indices: [3, 3] };
    expect(toNested(tensor)).toEqual([
      [0, 0, 0, 1],
      [0, 0, 0, 0],
      [0, 0, 0, 2],
    ]);
  });

  it.each<[string, TensorData["data"]]>([
    ["Int32Array", Int32Array.of(-1, 7, -1, 0)],
    ["BigInt64Array", BigInt64Array.of(-1n, 7n, -1n, 0n)],
    ["list", [-1, 7, -1, 0]],
  ])("fills an int64 %s with the pad value", (_name, data) => {
    const listed = data.filter((value) => Number(value) !== -1) as TensorData["data"];
    const sparse: TensorData = {
      data: listed,
      dtype: "int64",
      shape: [2, 2],
      sparse_crow_indices: [0, 1, 2],
      sparse_col_indices: [1, 1],
    };
    expect(toDense(sparse, { padValue: -1 })).toEqual({ data, dtype: "int64", shape: [2, 2] });
  });

  it("unfolds a list to a typed array where a list would take the memory of the process", () => {
    const sparse = (columns: number): TensorData => ({
      data: [3],
      dtype: "int64",
      shape: [1, columns],
      sparse_crow_indices: [0, 1],
      sparse_col_indices: [columns - 1],
    });
    const { data } = toDense(sparse(2 ** 25 + 1));
    expect(data).toBeInstanceOf(BigInt64Array);
    expect([data.length, data[0], data.at(-1)]).toEqual([2 ** 25 + 1, 0n, 3n]);
    expect(() => toDense(sparse(2 ** 40))).toThrow("unfolds to more elements than memory holds");
  });

  it("keeps the bits of a NaN that is listed", () => {
    const signalling = Int32Array.of(0x7f80_0001);
    const dense = toDense({
      data: new Float32Array(signalling.buffer),
      dtype: "float32",
      shape: [1, 3],
      sparse_crow_indices: [0, 1],
      sparse_col_indices: [2],
    });
    expect(new Int32Array((dense.data as Float32Array).buffer)).toEqual(Int32Array.of(0, 0, 0x7f80_0001));
  });

  it("returns a dense tensor as it is", () => {
    const dense: TensorData = { data: [1], dtype: "int64" };
    expect(toDense(dense)).toBe(dense);
  });

  it.each([0.5, Number.NaN, 2 ** 31, true])("refuses %s as pad value", (padValue) => {
    expect(() => toDense(csr, { padValue: padValue as number, datumIndex: 2, key: "weights" })).toThrow(
      new ValidationError(
        `data[2].loss_fn_inputs.weights: padValue must be an integer of 32 bits, got ${padValue}`,
        { path: ["data", 2, "loss_fn_inputs", "weights"] },
      ),
    );
  });
});
