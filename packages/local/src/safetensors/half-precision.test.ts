import { describe, expect, it } from "vitest";
import { widenBfloat16, widenFloat16 } from "./half-precision.js";

describe("widenBfloat16", () => {
  it("puts the sixteen bits into the upper half of a float32", () => {
    const halves = new Uint16Array([0x3f80, 0xbf80, 0x4049, 0x0001, 0x7f80, 0xff80, 0x0000]);
    expect([...widenBfloat16(halves)]).toEqual([1, -1, 3.140625, 2 ** -133, Infinity, -Infinity, 0]);
  });
});

describe("widenFloat16", () => {
  it("reads normal and subnormal numbers, both zeros and infinities", () => {
    const halves = new Uint16Array([
      0x3c00, 0xc000, 0x3555, 0x7bff, 0x0001, 0x83ff, 0x7c00, 0xfc00, 0, 0x8000,
    ]);
    expect([...widenFloat16(halves)]).toEqual([
      1,
      -2,
      0.333251953125,
      65504,
      2 ** -24,
      -1023 * 2 ** -24,
      Infinity,
      -Infinity,
      0,
      -0,
    ]);
  });

  it("reads NaN", () => {
    expect(widenFloat16(new Uint16Array([0x7e00]))[0]).toBeNaN();
  });
});
