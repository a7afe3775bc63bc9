import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { TestServer } from "../testing/test-server.js";
import { HAS_ZSTD } from "./decompress-body.js";

const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (data: Uint8Array) => Buffer };

async function postEncoded(server: TestServer, body: Uint8Array, encoding: string) {
  return server.fetch("POST", "/create_session", {
    body,
    headers: { "content-type": "application/json", "content-encoding": encoding },
  });
}

describe("compressed bodies", () => {
  it("an encoding that is not read is refused", async () => {
    const server = await TestServer.start();
    const encodings = HAS_ZSTD ? ["br", "gzip"] : ["br", "gzip", "zstd"];
    const accepted = HAS_ZSTD ? "zstd or identity" : "identity (zstd needs Node 22.15)";
    for (const encoding of encodings) {
      const response = await postEncoded(server, Uint8Array.of(1), encoding);
      expect([response.status, await response.json()]).toEqual([
        415,
        { detail: `Content-Encoding must be ${accepted}, got "${encoding}"; send the body as it is` },
      ]);
    }
  });

  it("takes the encoding that is none", async () => {
    const server = await TestServer.start();
    expect((await postEncoded(server, Buffer.from("{}"), "identity")).status).toBe(200);
  });
});

describe.skipIf(zstdCompressSync === undefined)("zstd (Node 22.15 and later)", () => {
  const compress = zstdCompressSync ?? Buffer.from;

  it("reads what a client compressed", async () => {
    const server = await TestServer.start();
    const response = await postEncoded(server, compress(Buffer.from('{"tags":["a"]}')), "zstd");
    expect(await response.json()).toMatchObject({ session_id: expect.any(String) });
  });

  it("stops a small body that grows beyond the limit", async () => {
    const server = await TestServer.start();
    const bomb = compress(new Uint8Array(2 ** 29));
    expect(bomb.length).toBeLessThan(100_000);
    expect((await postEncoded(server, bomb, "zstd")).status).toBe(413);
    expect((await server.get("/healthz")).status).toBe(200);
  });

  it("refuses bytes that are no zstd", async () => {
    const server = await TestServer.start();
    expect((await postEncoded(server, Buffer.from("{}"), "zstd")).status).toBe(400);
  });

  const text = Buffer.from('{"tags":["a"]}');
  const lengths = Array.from({ length: compress(text).length }, (_, length) => length);
  it.each(lengths)("refuses a body that was cut short to %i bytes", async (length) => {
    const server = await TestServer.start();
    const cut = compress(text).subarray(0, length);
    expect((await postEncoded(server, cut, "zstd")).status).toBe(400);
  });

  it("refuses a protobuf body whose second half is missing", async () => {
    const server = await TestServer.start();
    const whole = compress(Buffer.alloc(3_000_000, "0123456789abcdef"));
    for (const length of [whole.length - 1, whole.length / 2, 20]) {
      const response = await server.fetch("POST", "/forward_backward", {
        body: whole.subarray(0, length),
        headers: { "content-type": "application/x-protobuf", "content-encoding": "zstd" },
      });
      expect(response.status, `${length}`).toBe(400);
    }
  });
});
