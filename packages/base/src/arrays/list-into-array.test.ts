import { describe, expect, it } from "vitest";
import { holdsInt32 } from "../arguments/check-argument.js";
import { narrowListInto, roundListInto } from "./list-into-array.js";

const bad = ["1", undefined, null, true, 1n, Number.NaN, Number.POSITIVE_INFINITY];

describe.each([
  [
    "roundListInto",
    (list: readonly unknown[], start: number, count: number) => {
      const target = new Float32Array(count);
      return [roundListInto(target, list, start, count), target] as const;
    },
    [...bad, 1e39],
  ],
  [
    "narrowListInto",
    (list: readonly unknown[], start: number, count: number) => {
      const target = new Int32Array(count);
      return [narrowListInto(target, list, start, count), target] as const;
    },
    [...bad, 0.5, 2 ** 31],
  ],
] as const)("%s", (_, put, refused) => {
  it("puts a part of a list at the beginning of an array", () => {
    const list = Array.from({ length: 40 }, (__, index) => index - 20);
    for (let count = 0; count < 12; count++) {
      const [done, target] = put(list, 7, count);
      expect(done).toBe(count);
      expect([...target]).toEqual(list.slice(7, 7 + count));
    }
  });

  it.each(refused.map((value) => [value]))("stops at %o, wherever it stands", (value) => {
    for (let index = 0; index < 11; index++) {
      const list = Array.from({ length: 11 }, (__, at): unknown => (at === index ? value : at));
      const [done, target] = put(list, 0, 11);
      expect(done).toBe(index);
      expect([...target].slice(0, index)).toEqual(list.slice(0, index));
    }
  });

  it("puts numbers that add up to more than float32 can hold, or to nothing", () => {
    const list = [2 ** 30, 2 ** 30, -(2 ** 31), 2 ** 30, 2 ** 30, 2 ** 30, 2 ** 30, 2 ** 30];
    expect(put(list, 0, list.length)[0]).toBe(list.length);
  });
});

describe("holdsInt32", () => {
  const whole = (length: number): unknown[] => Array.from({ length }, (_, index) => index - 5);

  it("takes integers of 32 bits, and no list at all of them", () => {
    for (let length = 0; length < 20; length++) expect(holdsInt32(whole(length))).toBe(true);
    expect(holdsInt32([2 ** 31 - 1, -(2 ** 31), 0, -0])).toBe(true);
  });

  it.each([...bad, 0.5, 2 ** 31].map((value) => [value]))("finds %o, wherever it stands", (value) => {
    for (let index = 0; index < 19; index++) expect(holdsInt32(whole(19).with(index, value))).toBe(false);
  });
});
