import { describe, expect, it } from "vitest";
import { toModelInput } from "./model-input.js";

describe("a prompt given as tokens", () => {
  const tensor = {
    dtype: "int32",
    shape: [2],
    dataSync: () => Int32Array.of(7, 8),
    data: async () => [7, 8],
  };

  it.each([
    ["a list", [7, 8]],
    ["an Int32Array", Int32Array.of(7, 8)],
    ["a Uint32Array", Uint32Array.of(7, 8)],
    ["a BigInt64Array", BigInt64Array.of(7n, 8n)],
    ["a tensor of integers", tensor],
  ])("may be %s", (_, tokens) => {
    const { chunks } = toModelInput(tokens, "sample: prompt");
    expect(chunks.map((chunk) => ("tokens" in chunk ? [...chunk.tokens] : []))).toEqual([[7, 8]]);
  });

  it("is refused where it holds no ids", () => {
    expect(() => toModelInput(BigInt64Array.of(2n ** 40n), "sample: prompt")).toThrow("must be a token id");
    expect(() => toModelInput({ ...tensor, dtype: "float32" }, "sample: prompt")).toThrow("dtype float32");
  });
});
