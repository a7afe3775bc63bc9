import { expect, it } from "vitest";
import { tensorFault } from "./tensor-fault.js";

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
