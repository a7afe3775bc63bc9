import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { zstdCompressor } from "./zstd.js";

describe("zstdCompressor", () => {
  it("transport 93: is absent where Node has no zstd", () => {
    expect(zstdCompressor({})).toBeUndefined();
  });

  it.runIf("zstdDecompressSync" in zlib)("transport 93: packs what zstd unpacks", async () => {
    const plain = new Uint8Array(10_000).fill(7);
    const packed = await zstdCompressor()?.(plain);
    const unpack = Reflect.get(zlib, "zstdDecompressSync") as (bytes: Uint8Array | undefined) => Uint8Array;
    expect(packed?.byteLength).toBeLessThan(100);
    expect(new Uint8Array(unpack(packed))).toEqual(plain);
  });

  it("hands an error of the library on", async () => {
    const library = {
      zstdCompress: (_: Uint8Array, done: (error: Error) => void) => done(new Error("full")),
    };
    await expect(zstdCompressor(library)?.(new Uint8Array())).rejects.toThrow("full");
  });
});
