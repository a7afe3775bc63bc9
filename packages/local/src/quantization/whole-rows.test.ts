import { expect, it } from "vitest";
import { WholeRows } from "./whole-rows.js";

it.each([1, 2, 5, 7, 12, 100])(
  "WholeRows gives every row once, in order, from pieces of %s numbers",
  (size) => {
    const all = Float32Array.from({ length: 5 * 12 }, (_, i) => i);
    const rows = new WholeRows(5);
    const got: number[] = [];
    for (let start = 0; start < all.length; start += size) {
      const complete = rows.add(all.subarray(start, start + size));
      expect(complete.length % 5).toBe(0);
      got.push(...complete);
    }
    expect(got).toEqual([...all]);
  },
);
