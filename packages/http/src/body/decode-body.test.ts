import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { ResponseError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { decodeBody } from "./decode-body.js";

const plain = new TextEncoder().encode('{"detail":"no"}');

describe("decodeBody", () => {
  it.each([
    ["gzip", gzipSync(plain)],
    ["GZIP", gzipSync(plain)],
    ["deflate", deflateSync(plain)],
    ["br", brotliCompressSync(plain)],
    ["identity", plain],
    [undefined, plain],
    ["gzip, br", brotliCompressSync(gzipSync(plain))],
  ])("transport 93: unpacks %s", async (encoding, body) => {
    expect(await decodeBody(body, encoding)).toEqual(plain);
  });

  it("transport 93: stops a bomb", async () => {
    const bomb = gzipSync(new Uint8Array(1_000_000));
    await expect(decodeBody(bomb, "gzip", 10_000)).rejects.toThrow(/more than 10000 bytes/);
  });

  it("names an encoding nobody asked for, and a stream that is broken", async () => {
    await expect(decodeBody(plain, "toString")).rejects.toThrow(ResponseError);
    await expect(decodeBody(plain, "gzip")).rejects.toThrow(/is not the gzip data/);
  });
});
