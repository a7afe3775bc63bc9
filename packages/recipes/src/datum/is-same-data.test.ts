import { expect, it } from "vitest";
import { isSameData } from "./is-same-data.js";

const bytes = (...values: number[]) => Uint8Array.from(values);

it.each<[boolean, unknown, unknown]>([
  [true, [1, 2], Int32Array.of(1, 2)],
  [true, bytes(1, 2), Buffer.of(1, 2)],
  [true, BigInt64Array.of(1n), [1n]],
  [true, { a: 1, b: { c: [] } }, { b: { c: [] }, a: 1, d: undefined }],
  [false, [1, 2], [1, 2, 3]],
  [false, bytes(1, 2, 3), bytes(1, 2, 4)],
  [false, { a: 1 }, { a: 1, b: 0 }],
  [false, { a: 1, b: 0 }, { a: 1 }],
  [false, { 0: 1 }, [1]],
  [false, [1], "1"],
  [false, null, {}],
  [false, [[1], [2]], [[1], [3]]],
])("tells %s of %o and %o", (isSame, one, other) => {
  expect(isSameData(one, other)).toBe(isSame);
  expect(isSameData(other, one)).toBe(isSame);
});
