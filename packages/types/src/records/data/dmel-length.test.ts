import { describe, expect, it } from "vitest";
import { dmelLength, tensorContainerShape } from "./dmel-length.js";

const bytes = (text: string) => Uint8Array.from(text.split(" "), (digits) => Number.parseInt(digits, 16));

describe("the header of an audio chunk", () => {
  it.each<[string, number[]]>([
    ["04 02 03 50", [3, 80]],
    ["fe 04 02 82 01 50", [130, 80]],
    ["01 03 82 80 01 01 0a", [16386, 1, 10]],
    ["04 00", []],
  ])("protobuf 33: %s", (text, shape) => {
    expect(tensorContainerShape(bytes(text), 0)).toEqual(shape);
  });

  it("protobuf 33: the first dimension is the length, also from base64", () => {
    expect(dmelLength(bytes("04 02 03 50"), 0)).toBe(3);
    expect(dmelLength("BAIDUA==", 0)).toBe(3);
    expect(() => dmelLength(bytes("04 00"), 2)).toThrow(
      "chunks[2].dmel: not a TensorContainer header, it has no dimensions",
    );
  });

  it.each(["04 02", "04", "fe", "04 02 80"])("protobuf 33: %s is cut short", (text) => {
    expect(() => tensorContainerShape(bytes(text), 0)).toThrow(/it is cut short|it ends before/);
  });

  it("protobuf 33: an unknown dtype, and a dimension of more than 63 bits", () => {
    expect(() => tensorContainerShape(bytes("08 02 01 50"), 0)).toThrow("dtype 8 is unknown");
    expect(() => tensorContainerShape(bytes("04 80 80 80 80 80 80 80 80 80 01"), 0)).toThrow(
      "longer than 63 bits",
    );
  });
});
