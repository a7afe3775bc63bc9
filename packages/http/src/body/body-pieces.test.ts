import { describe, expect, it } from "vitest";
import { BodyPieces, MOST_ERROR_BYTES } from "./body-pieces.js";

describe("BodyPieces", () => {
  it("joins the pieces in an array of its own", () => {
    const pieces = new BodyPieces(200);
    const buffer = Uint8Array.of(1, 2, 3, 4);
    expect(pieces.add(buffer.subarray(0, 1))).toBe(true);
    expect(pieces.add(buffer.subarray(2))).toBe(true);
    const whole = pieces.join();
    expect(whole).toEqual(Uint8Array.of(1, 3, 4));
    expect(whole.buffer.byteLength).toBe(3);
    expect(new BodyPieces(200).join()).toEqual(new Uint8Array(0));
  });

  it("of an error the beginning is enough", () => {
    const pieces = new BodyPieces(500, 1);
    expect(pieces.add(new Uint8Array(MOST_ERROR_BYTES))).toBe(true);
    expect(pieces.add(new Uint8Array(1))).toBe(false);
  });

  it("an answer without end is refused", () => {
    const pieces = new BodyPieces(200, 10);
    expect(pieces.add(new Uint8Array(10))).toBe(true);
    expect(() => pieces.add(new Uint8Array(1))).toThrow(/longer than 10 bytes/);
  });
});
