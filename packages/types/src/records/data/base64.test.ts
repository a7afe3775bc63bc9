import { ValidationError } from "@tinkex/base";
import { expect, it } from "vitest";
import { fromBase64, toBase64 } from "./base64.js";

it("wire-types 16: standard base64 with padding", () => {
  expect(toBase64(Uint8Array.of(0xff, 0xd8, 0xff))).toBe("/9j/");
  expect(toBase64(Uint8Array.of(0xff))).toBe("/w==");
});

it("goes both ways for sizes around a slice, without overflowing the stack", () => {
  for (const size of [0, 1, 0x5fff, 0x6000, 0x6001, 1_000_000]) {
    const bytes = Uint8Array.from({ length: size }, (_, index) => (index * 31) & 0xff);
    const text = toBase64(bytes);
    expect(text).toBe(Buffer.from(bytes).toString("base64"));
    expect(Buffer.compare(fromBase64(text), bytes)).toBe(0);
  }
});

it("refuses what is not base64", () => {
  expect(() => fromBase64("a*b=")).toThrow(ValidationError);
});
