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

  /** A header of these dimensions. */
  function headerOf(shape: readonly number[], hasMarker: boolean): Uint8Array {
    const varint = (value: number): number[] =>
      value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
    return Uint8Array.from([...(hasMarker ? [0xfe] : []), 4, ...varint(shape.length), ...shape.flatMap(varint)]);
  }

  it.each([[1, 80], [127, 80], [128, 80], [16383, 80], [16384, 80], [1000000, 80], [7, 80, 4]])(
    "clients 94: of the shape (%i, %i, …) is read with and without the marker",
    (...shape) => {
      for (const hasMarker of [false, true]) {
        expect(tensorContainerShape(headerOf(shape, hasMarker), 0)).toEqual(shape);
        expect(dmelLength(headerOf(shape, hasMarker), 0)).toBe(shape[0]);
      }
    },
  );

  it("clients 94: is refused where it is empty, cut short, of an unknown dtype or of a number without end", () => {
    for (const header of [[], [4], [4, 2], [4, 2, 0x80], [0xfe]]) {
      expect(() => tensorContainerShape(Uint8Array.from(header), 0)).toThrow(/it is cut short|it ends before/);
    }
    expect(() => tensorContainerShape(Uint8Array.of(8, 2, 1, 0x50), 0)).toThrow("dtype 8 is unknown");
    const endless = Uint8Array.from([4, ...Array.from({ length: 10 }, () => 0x80)]);
    expect(() => tensorContainerShape(endless, 0)).toThrow("longer than 63 bits");
    // There is no third dimension to ask for: the shape is what the header has.
    expect(tensorContainerShape(headerOf([7, 80], false), 0)).toHaveLength(2);
  });
});
