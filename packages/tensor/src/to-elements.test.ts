import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { TensorData } from "./tensor-data.js";
import type { TensorLike } from "./tensor-like.js";

/** What came out of JSON, say, whatever the types promise. */
function read(value: unknown): TensorData {
  return TensorData.from(value as TensorLike, { datumIndex: 1, key: "weights" });
}

describe("a record", () => {
  it.each([
    ["an object", { 0: 1 }],
    ["an ArrayBuffer", new ArrayBuffer(8)],
    ["a DataView", new DataView(new ArrayBuffer(8))],
    ["null", null],
    ["a string", "12"],
    ["a number", 3],
  ])(
    "is refused when its data is %s, which would be read as no elements or fail without a place",
    (_name, data) => {
      expect(() => read({ data, dtype: "float32" })).toThrow(ValidationError);
      expect(() => read({ data, dtype: "float32" })).toThrow(
        /^data\[1\]\.loss_fn_inputs\.weights: data must be a flat list of numbers or a typed array, got /,
      );
    },
  );

  it("may have null for what it does not state, as the JSON of older SDKs does", () => {
    const absent = { shape: null, sparse_crow_indices: null, sparse_col_indices: null };
    expect(read({ data: [1, 2], dtype: "float32", ...absent })).toEqual({
      data: Float32Array.of(1, 2),
      dtype: "float32",
    });
  });
});

/** Newer engines have it, and the types of this workspace do not yet. */
const { Float16Array } = globalThis as { Float16Array?: new (values: number[]) => ArrayBufferView };

describe.skipIf(Float16Array === undefined)("a Float16Array", () => {
  it("is float32, as any floating array", () => {
    const halves = Float16Array === undefined ? [] : new Float16Array([1, 2]);
    expect(read(halves)).toEqual({ data: Float32Array.of(1, 2), dtype: "float32", shape: [2] });
  });
});
