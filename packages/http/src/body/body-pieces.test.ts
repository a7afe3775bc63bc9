import { describe, expect, it } from "vitest";
import { BodyPieces, MAX_ERROR_BYTES } from "./body-pieces.js";

describe("BodyPieces", () => {
  it("joins the pieces in an array of its own", () => {
    const pieces = new BodyPieces(200, 100);
    const buffer = Uint8Array.of(1, 2, 3, 4);
    expect(pieces.add(buffer.subarray(0, 1))).toBe(true);
    expect(pieces.add(buffer.subarray(2))).toBe(true);
    const whole = pieces.join();
    expect(whole).toEqual(Uint8Array.of(1, 3, 4));
    expect(whole.buffer.byteLength).toBe(3);
    expect(new BodyPieces(200, 100).join()).toEqual(new Uint8Array(0));
  });

  it("of an error the beginning is enough", () => {
    const pieces = new BodyPieces(500, 1);
    expect(pieces.add(new Uint8Array(MAX_ERROR_BYTES))).toBe(true);
    expect(pieces.add(new Uint8Array(1))).toBe(false);
  });

  it("an answer without end is refused", () => {
    const pieces = new BodyPieces(200, 10);
    expect(pieces.add(new Uint8Array(10))).toBe(true);
    expect(() => pieces.add(new Uint8Array(1))).toThrow(/longer than 10 bytes/);
  });

  it("keeps of an error no more than the limit", () => {
    const pieces = new BodyPieces(500, 1);
    expect(pieces.add(new Uint8Array(3 * MAX_ERROR_BYTES))).toBe(false);
    expect(pieces.join()).toHaveLength(MAX_ERROR_BYTES);
  });

  it.each([1, 3, 100, 5_000])("joins pieces of %i bytes in their order", (size) => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => index * 7);
    const pieces = new BodyPieces(200, bytes.length);
    for (let at = 0; at < bytes.length; at += size) pieces.add(bytes.subarray(at, at + size));
    expect(Buffer.from(pieces.join()).equals(bytes)).toBe(true);
  });

  it("joins pieces of many sizes in their order", () => {
    const bytes = Uint8Array.from({ length: 1_000_000 }, (_, index) => index * 13);
    const pieces = new BodyPieces(200, bytes.length);
    for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 31) % 40_009) {
      pieces.add(bytes.subarray(at, at + size));
    }
    expect(Buffer.from(pieces.join()).equals(bytes)).toBe(true);
  });

  it.each([1, 16, 1000])("keeps pieces of %i bytes in about the memory of the body", (size) => {
    const count = 2_000_000 / size;
    const memory = (): number => {
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const pieces = new BodyPieces(200, size * count);
    // Each piece is a view of a buffer of its own, as those of a socket are that brings little at a time.
    const before = memory();
    for (let index = 0; index < count; index += 1) pieces.add(new Uint8Array(size));
    const held = pieces.join().byteLength;
    expect(held).toBe(2_000_000);
    // What is not collected yet counts here too: views took 100 bytes each, and stayed.
    globalThis.gc?.();
    expect(memory() - before).toBeLessThan(100_000_000);
  });
});
