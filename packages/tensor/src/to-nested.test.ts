import { expect, it } from "vitest";
import { toNested } from "./to-nested.js";

it("nests as the shape says", () => {
  const data = Int32Array.of(1, 2, 3, 4, 5, 6, 7, 8);
  expect(toNested({ data, dtype: "int64", shape: [2, 2, 2] })).toEqual([
    [
      [1, 2],
      [3, 4],
    ],
    [
      [5, 6],
      [7, 8],
    ],
  ]);
  expect(toNested({ data, dtype: "int64" })).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

it("gives a bare number for a scalar, and empty lists for empty dimensions", () => {
  expect(toNested({ data: [2.5], dtype: "float32", shape: [] })).toBe(2.5);
  expect(toNested({ data: [], dtype: "float32", shape: [0] })).toEqual([]);
  expect(toNested({ data: [], dtype: "float32", shape: [2, 0] })).toEqual([[], []]);
  expect(toNested({ data: [], dtype: "float32", shape: [0, 2] })).toEqual([]);
});

it("refuses an int64 that a number cannot hold", () => {
  expect(() => toNested({ data: BigInt64Array.of(2n ** 53n), dtype: "int64", shape: [1, 1] })).toThrow(
    "tensor[0]: 9007199254740992 is beyond 2^53",
  );
});

it.each<[number[], number[]]>([
  [
    [1, 2, 3],
    [2, 2],
  ],
  [
    [1, 2, 3, 4, 5],
    [2, 2],
  ],
  [[], []],
  [[1, 2], [-1]],
])("refuses %j in the shape %j, in which elements would be missing or left out", (data, shape) => {
  expect(() => toNested({ data, dtype: "float32", shape }, { key: "logprobs" })).toThrow(
    /^loss_fn_inputs\.logprobs(\.shape\[0\]: must be a size|: shape )/,
  );
});

it("refuses more empty lists than there can be", () => {
  expect(() => toNested({ data: [], dtype: "float32", shape: [2 ** 52, 0] })).toThrow(
    "tensor: shape [4503599627370496, 0] nests more lists than memory holds; read the elements with toNumbers",
  );
});
