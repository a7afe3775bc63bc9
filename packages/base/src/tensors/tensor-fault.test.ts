import { expect, it } from "vitest";
import { tensorFault } from "./tensor-fault.js";

it.each([Float32Array, Int32Array, BigInt64Array])(
  "tells of a %o whose memory another thread has",
  (Kind) => {
    const data = new Kind(3);
    structuredClone(data.buffer, { transfer: [data.buffer] });
    const dtype = data instanceof Float32Array ? "float32" : "int64";
    const message = expect.stringContaining(
      "memory was transferred to another thread or resized; copy it before",
    );
    expect(tensorFault({ data, dtype })).toEqual({ field: "data", message });
    expect(tensorFault({ data, dtype, shape: [0] })).toEqual({ field: "data", message });
    expect(tensorFault({ data: new Kind(0), dtype, shape: [0] })).toBeUndefined();
  },
);

it("walks a list once and typed arrays never", () => {
  let reads = 0;
  const counted = new Proxy(new Array(1000).fill(1), {
    get(target, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key)) reads++;
      return Reflect.get(target, key, receiver);
    },
  });
  tensorFault({ data: counted, dtype: "int64" });
  expect(reads).toBe(1000);
});
