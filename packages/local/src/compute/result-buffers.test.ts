import { describe, expect, it } from "vitest";
import { resultBuffers } from "./result-buffers.js";

describe("resultBuffers", () => {
  it("finds the memory of every array once, however deep, and leaves windows into larger ones", () => {
    const shared = new Float32Array(4);
    const own = new Int32Array(2);
    const result = {
      logprobs: [shared, shared, new Float32Array(8).subarray(2, 4)],
      nested: { tokens: own, nothing: null, count: 3 },
    };
    expect(resultBuffers(result)).toEqual([shared.buffer, own.buffer]);
    expect(resultBuffers(undefined)).toEqual([]);
    expect(resultBuffers(7)).toEqual([]);
  });
});
