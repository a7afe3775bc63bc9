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

it.each([
  [1_000_000_000, 0],
  [1_048_576, 0],
  [2, 1_000_000, 0],
  [1000, 1000, 2, 0],
])("refuses the shape [%d, %d, …] without elements, whose lists would take gigabytes", (...shape) => {
  expect(() => toNested({ data: [], dtype: "float32", shape })).toThrow("nests more lists than memory holds");
});

it("gives a million empty lists, and as many lists of one element as there are elements", () => {
  expect(toNested({ data: [], dtype: "float32", shape: [1_048_575, 0] })).toHaveLength(1_048_575);
  const column = { data: new Float32Array(600_000), dtype: "float32", shape: [600_000, 1, 1] } as const;
  expect(toNested(column)).toHaveLength(600_000);
});

it("refuses a shape of 100,000 dimensions, deeper than functions may call each other", () => {
  const shape = new Array<number>(100_000).fill(1);
  expect(() => toNested({ data: [1], dtype: "float32", shape })).toThrow("shape of 100000 dimensions nests");
});

it("refuses more empty lists than there can be", () => {
  expect(() => toNested({ data: [], dtype: "float32", shape: [2 ** 52, 0] })).toThrow(
    "tensor: shape [4503599627370496, 0] nests more lists than memory holds; read the elements with toNumbers",
  );
});
