import { tensorFault } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { checkSent } from "../../schema/check-record.js";
import { type TensorData, tensorDataSchema } from "./tensor-data.js";

const csr: TensorData = {
  data: [1, 2],
  dtype: "float32",
  shape: [3, 4],
  sparse_crow_indices: [0, 1, 1, 2],
  sparse_col_indices: [1, 3],
};

describe("TensorData", () => {
  it.each<[string, TensorData]>([
    ["a list with a shape", { data: [1, 2, 3, 4], dtype: "int64", shape: [2, 2] }],
    ["a list without a shape", { data: [1, 2, 3], dtype: "float32" }],
    ["a scalar", { data: [1], dtype: "float32", shape: [] }],
    ["nothing", { data: [], dtype: "int64", shape: [2, 0] }],
    ["typed arrays", { data: new BigInt64Array(3), dtype: "int64" }],
    ["NaN under float32", { data: [Number.NaN], dtype: "float32" }],
    ["a sparse matrix", csr],
  ])("wire-types 22: %s is fine", (_, tensor) => {
    expect(tensorFault(tensor)).toBeUndefined();
    expect(checkSent(tensorDataSchema, tensor, "TensorData")).toEqual(tensor);
  });

  it.each<[string, object, string]>([
    [
      "wire-types 22: a shape that does not fit",
      { data: [1, 2, 3], dtype: "int64", shape: [2, 2] },
      "shape: [2, 2] does not hold 3 elements",
    ],
    [
      "wire-types 22: a scalar of two",
      { data: [1, 2], dtype: "int64", shape: [] },
      "shape: [] does not hold 2 elements",
    ],
    [
      "wire-types 23: another dtype",
      { data: [1], dtype: "int32" },
      'dtype: must be one of "int64", "float32"',
    ],
    [
      "wire-types 21: a fraction under int64",
      { data: [1.5], dtype: "int64" },
      "data[0]: must be a safe integer",
    ],
    [
      "wire-types 26: no column indices",
      { ...csr, sparse_col_indices: undefined },
      "sparse_col_indices: is missing",
    ],
    [
      "wire-types 26: no row pointers",
      { ...csr, sparse_crow_indices: undefined },
      "sparse_crow_indices: is missing",
    ],
    [
      "row pointers that fall",
      { ...csr, sparse_crow_indices: [0, 2, 1, 2] },
      "must start at 0 and never fall",
    ],
    [
      "row pointers of another count",
      { ...csr, sparse_crow_indices: [0, 2] },
      "must have rows + 1 = 4 entries",
    ],
    [
      "a column outside",
      { ...csr, sparse_col_indices: [1, 4] },
      "sparse_col_indices[1]: must be a column below 4",
    ],
    [
      "a column missing",
      { ...csr, sparse_col_indices: [1] },
      "must have one entry for each of the 2 elements",
    ],
    ["a sparse tensor without shape", { ...csr, shape: undefined }, "must be [rows, columns]"],
    ["a negative size", { data: [], dtype: "int64", shape: [-1] }, "shape[0]: must be a size of 0 or more"],
    [
      "a double beyond float32",
      { data: [1e39], dtype: "float32" },
      "data[0]: must be a number within float32",
    ],
    ["nested lists", { data: [[1]], dtype: "float32" }, "data[0]: must be a number within float32, got an array"],
    [
      "a typed array of another kind",
      { data: new Float64Array(1), dtype: "float32" },
      "data: must be a flat list of numbers or a typed array",
    ],
    [
      "floats as int64",
      { data: new Float32Array(1), dtype: "int64" },
      "data: a Float32Array cannot be int64",
    ],
    [
      "integers as float32",
      { data: new Int32Array(1), dtype: "float32" },
      "data: a Int32Array cannot be float32",
    ],
    [
      "a misspelt field",
      { data: [1], dtype: "int64", shap: [1] },
      'unknown field "shap", did you mean "shape"?',
    ],
  ])("%s", (_, tensor, message) => {
    expect(() => checkSent(tensorDataSchema, tensor, "TensorData")).toThrow(message);
  });
});
