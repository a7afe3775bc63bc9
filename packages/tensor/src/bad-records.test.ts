import { ValidationError } from "@tinkex/base";
import type { TensorData } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { toTensor } from "./tfjs.js";
import { toDense } from "./to-dense.js";
import { toNested } from "./to-nested.js";
import { toNumbers } from "./to-numbers.js";
import { toSparse } from "./to-sparse.js";
import { toTypedArray } from "./to-typed-array.js";

const conversions = { toDense, toNested, toNumbers, toSparse, toTypedArray, toTensor };
const place = { key: "logprobs", datumIndex: 1 };
const csr = {
  data: [1, 2],
  dtype: "float32",
  shape: [2, 3],
  sparse_crow_indices: [0, 1, 2],
  sparse_col_indices: [2, 0],
};

/** What plain JavaScript, or a file of JSON, may hold where a tensor is wanted; and what the message says after the place. */
const records: readonly [name: string, record: unknown, message: RegExp][] = [
  ["nothing", undefined, /: expected a tensor, \{ data, dtype, shape\? \}, got undefined; TensorData\.from /],
  ["null", null, /: expected a tensor, .*, got null/],
  ["a list", [1, 2], /: expected a tensor, .*, got an array/],
  ["an array of numbers", Float32Array.of(1), /: expected a tensor, .*, got an object \(Float32Array\)/],
  ["a number", 3, /: expected a tensor, .*, got 3/],
  ["no data", { dtype: "float32" }, /: data must be /],
  ["data that are no list", { data: "12", dtype: "float32" }, /: data must be /],
  ["an array of another kind", { data: Float64Array.of(1), dtype: "float32" }, /: data must be /],
  ["no dtype", { data: [1] }, /: dtype must be "int64" or "float32", got undefined/],
  ["another dtype", { data: [1], dtype: "int32" }, /: dtype must be .*, got "int32"/],
  [
    "a fraction as int64",
    { data: [1, 1.5], dtype: "int64" },
    /\[1\]: data must be a safe integer .*, got 1\.5/,
  ],
  ["NaN as int64", { data: [Number.NaN], dtype: "int64" }, /\[0\]: data must be a safe integer .*, got NaN/],
  [
    "null among int64",
    { data: [1, null], dtype: "int64" },
    /\[1\]: data must be a safe integer .*, got null/,
  ],
  [
    "text among floats",
    { data: ["x"], dtype: "float32" },
    /\[0\]: data must be a number within float32, got "x"/,
  ],
  [
    "bigints as float32",
    { data: BigInt64Array.of(1n), dtype: "float32" },
    /: data a BigInt64Array cannot be float32/,
  ],
  ["floats as int64", { data: Float32Array.of(1), dtype: "int64" }, /: data a Float32Array cannot be int64/],
  [
    "a shape that does not fit",
    { data: [1, 2, 3], dtype: "float32", shape: [2, 2] },
    /: shape \[2, 2\] does not hold 3 elements/,
  ],
  [
    "a shape that is no list",
    { data: [1], dtype: "float32", shape: 1 },
    /: shape must be a list of integers, got 1/,
  ],
  [
    "a size that is none",
    { data: [1, 2], dtype: "float32", shape: [1, 2.5] },
    /\.shape\[1\]: must be a size of 0 or more, got 2\.5/,
  ],
  [
    "a column outside",
    { ...csr, sparse_col_indices: [2, 3] },
    /\.sparse_col_indices\[1\]: must be a column below 3/,
  ],
  [
    "columns that are no list",
    { ...csr, sparse_col_indices: 2 },
    /: sparse_col_indices must be a list of integers, got 2/,
  ],
  [
    "row pointers that fall",
    { ...csr, sparse_crow_indices: [0, 3, 2] },
    /\.sparse_crow_indices\[2\]: must start at 0 and never fall/,
  ],
  ["row pointers alone", { ...csr, sparse_col_indices: undefined }, /: sparse_col_indices is missing/],
];

describe.each(Object.entries(conversions))("%s", (_name, convert) => {
  it.each(records)("refuses %s by its place", (_record, record, message) => {
    const convertHere = () => convert(record as TensorData, place);
    expect(convertHere).toThrow(ValidationError);
    expect(convertHere).toThrow(new RegExp(`^data\\[1\\]\\.loss_fn_inputs\\.logprobs${message.source}`));
    expect(() => convert(record as TensorData)).toThrow(new RegExp(`^tensor${message.source}`));
  });

  it("reads null, as JSON has it, where nothing is stated", () => {
    const fields = { shape: null, sparse_crow_indices: null, sparse_col_indices: null };
    const record = { data: Float32Array.of(1, 2), dtype: "float32", ...fields };
    const read = (tensor: unknown): unknown => {
      const result = convert(tensor as TensorData);
      if (!("dataSync" in Object(result))) return result;
      const values = (result as ReturnType<typeof toTensor>).dataSync();
      (result as ReturnType<typeof toTensor>).dispose();
      return values;
    };
    expect(read(record)).toEqual(read({ data: Float32Array.of(1, 2), dtype: "float32" }));
  });

  it("refuses an option that there is not", () => {
    const tensor: TensorData = { data: [1], dtype: "float32" };
    expect(() => convert(tensor, { padvalue: -1 } as object)).toThrow(/^options: unknown field "padvalue"/);
    expect(() => convert(tensor, { datum: 1 } as object)).toThrow(ValidationError);
  });
});

describe.each(Object.entries({ toDense, toNested, toTensor }))(
  "%s of more than memory holds",
  (_name, unfold) => {
    it.each([
      ["float32", Float32Array.of(1)],
      ["int64", BigInt64Array.of(1n)],
      ["int64", Int32Array.of(1)],
      ["int64", [1]],
      ["float32", [1]],
    ] as const)("is refused by its place: %s, %o", (dtype, data) => {
      const sparse = {
        data,
        dtype,
        shape: [1, 2 ** 52],
        sparse_crow_indices: [0, 1],
        sparse_col_indices: [7],
      };
      expect(() => unfold(sparse, place)).toThrow(
        new ValidationError(
          "data[1].loss_fn_inputs.logprobs: shape [1, 4503599627370496] unfolds to more elements than memory holds; read the " +
            "listed ones, which `data` has",
          { path: ["data", 1, "loss_fn_inputs", "logprobs"] },
        ),
      );
    });
  },
);
