import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { ResponseError, systemClock } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { CallLifetime } from "../limits/call-lifetime.js";
import { MAX_ERROR_BYTES } from "./body-pieces.js";
import { decodeBody } from "./decode-body.js";

const MIB = 1024 * 1024;
const plain = new TextEncoder().encode('{"detail":"no"}');

function decode(
  body: Uint8Array,
  contentEncoding: string | undefined,
  { status = 200, maxBytes = 512 * MIB, signal = new AbortController().signal } = {},
): Promise<Uint8Array> {
  const lifetime = new CallLifetime("healthz", systemClock, { signal });
  const packed = { status, body, contentEncoding, maxBytes, secrets: () => ["tml-canary"] };
  return decodeBody(packed, lifetime).finally(() => lifetime.end());
}

/** A gzip member whose header has all of its optional fields. */
function withFields(bytes: Uint8Array): Buffer {
  const member = gzipSync(bytes);
  const header = Buffer.from(member.subarray(0, 10));
  header[3] = 4 | 8 | 16;
  const fields = Buffer.from("\x03\0abcname\0comment\0", "latin1");
  return Buffer.concat([header, fields, member.subarray(10)]);
}

describe("decodeBody", () => {
  it.each([
    ["gzip", gzipSync(plain)],
    ["GZIP", gzipSync(plain)],
    ["x-gzip", gzipSync(plain)],
    ["deflate", deflateSync(plain)],
    // sindresorhus/decompress-response#34, oven-sh/bun#31520: without the header that RFC 9110, 8.4.1.2 asks for, as fetch and httpx read it.
    ["deflate", deflateRawSync(plain)],
    ["br", brotliCompressSync(plain)],
    ["identity", plain],
    [undefined, plain],
    ["gzip, br", brotliCompressSync(gzipSync(plain))],
    ["X-GZIP, , Deflate", deflateSync(gzipSync(plain))],
    ["gzip", Buffer.concat([gzipSync(plain.subarray(0, 4)), gzipSync(""), gzipSync(plain.subarray(4))])],
    // nodejs/node#7502, curl/curl#3796: bytes behind the last member, and an empty member.
    ["gzip", Buffer.concat([gzipSync(plain), Buffer.from("\r\n")])],
    [
      "gzip",
      Buffer.concat([gzipSync(plain.subarray(0, 4)), withFields(plain.subarray(4)), Buffer.from("junk")]),
    ],
    // Node calls a single byte there cut data, and asks more of two that begin like a member.
    ["gzip", Buffer.concat([gzipSync(plain), Buffer.from("\n")])],
    ["gzip", Buffer.concat([gzipSync(plain), Buffer.from("x")])],
    ["gzip", Buffer.concat([gzipSync(plain), Buffer.of(0x1f, 0x8b), Buffer.from("zz")])],
    ["gzip, gzip", gzipSync(Buffer.concat([gzipSync(plain), Buffer.of(1, 2)]))],
    ["gzip", Buffer.concat([gzipSync(plain), Buffer.alloc(512)])],
    // jeroen/curl#179, versity/versitygw#2398: words that are no encoding.
    ["UTF-8", plain],
    ["none", plain],
    ["aws-chunked", plain],
    ["gzip, aws-chunked", gzipSync(plain)],
  ])("transport 93: unpacks %s", async (encoding, body) => {
    expect(Buffer.from(await decode(body, encoding)).toString()).toBe('{"detail":"no"}');
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("transport 93: stops a bomb of %s", async (encoding, pack) => {
    const bomb = pack(new Uint8Array(1_000_000));
    await expect(decode(bomb, encoding, { maxBytes: 10_000 })).rejects.toThrow(/more than 10000 bytes/);
  });

  it("refuses what unpacks to far more than its own size, whatever the operation's limit", async () => {
    const bomb = gzipSync(new Uint8Array(64 * MIB));
    await expect(decode(bomb, "gzip")).rejects.toThrow(/unpacks to more than 16777216 bytes/);
    await expect(decode(gzipSync(bomb), "gzip, gzip")).rejects.toThrow(/unpacks to more than/);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("of an error in %s keeps the beginning", async (encoding, pack) => {
    const long = Buffer.from("1,".repeat(4 * MIB));
    const whole = await decode(pack(long), encoding, { status: 400 });
    expect(whole.byteLength).toBe(MAX_ERROR_BYTES);
    expect(Buffer.from(whole.subarray(0, 4)).toString()).toBe("1,1,");
    const twice = await decode(pack(pack(long)), `${encoding}, ${encoding}`, { status: 500 });
    expect(twice.byteLength).toBe(MAX_ERROR_BYTES);
  });

  it("of an error whose end is missing keeps what there is", async () => {
    const noise = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * index) % 251));
    const cut = gzipSync(noise).subarray(0, -20);
    const kept = await decode(cut, "gzip", { status: 503 });
    expect(kept.byteLength).toBeGreaterThan(64 * 1024);
    await expect(decode(cut, "gzip")).rejects.toMatchObject({ cause: { code: "Z_BUF_ERROR" } });
  });

  it("ends with its call while it unpacks, and leaves the loop free", async () => {
    const body = gzipSync(Buffer.alloc(256 * MIB, "x"), { level: 1 });
    const controller = new AbortController();
    let turns = 0;
    // Were the loop held up, or the abort not heard, all would be unpacked, and refused or given.
    const timer = setInterval(() => {
      turns += 1;
      if (turns === 3) controller.abort();
    }, 1);
    const packed = Buffer.concat([body, Buffer.alloc(3 * MIB)]);
    const ending = decode(packed, "gzip", { signal: controller.signal });
    await expect(ending).rejects.toMatchObject({ code: "aborted" });
    clearInterval(timer);
  });

  it("refuses gzip data that is damaged or cut, whatever stands behind it", async () => {
    const member = gzipSync(plain);
    const damaged = Buffer.from(member);
    damaged[member.length - 8] = (damaged[member.length - 8] ?? 0) ^ 1;
    await expect(decode(damaged, "gzip")).rejects.toThrow(/is not the gzip data/);
    await expect(decode(Buffer.concat([damaged, Buffer.from("junk")]), "gzip")).rejects.toThrow(
      /is not the gzip data/,
    );
    for (const next of [member, withFields(plain)]) {
      for (let length = 1; length < next.length; length += 1) {
        const cut = Buffer.concat([member, next.subarray(0, length)]);
        await expect(decode(cut, "gzip")).rejects.toMatchObject({ cause: { code: "Z_BUF_ERROR" } });
      }
    }
    await expect(decode(deflateSync(plain), "gzip")).rejects.toThrow(/is not the gzip data/);
    const bomb = Buffer.concat([gzipSync(new Uint8Array(64 * MIB)), Buffer.from("junk")]);
    await expect(decode(bomb, "gzip")).rejects.toThrow(/unpacks to more than/);
  });

  it("names an encoding nobody asked for, and a stream that is broken", async () => {
    await expect(decode(plain, "toString")).rejects.toThrow(ResponseError);
    await expect(decode(plain, "gzip")).rejects.toThrow(/is not the gzip data/);
    await expect(decode(plain, "zstd")).rejects.toThrow(/packed as "zstd", which was not asked for/);
    await expect(decode(plain, "gzip,gzip,gzip,gzip,gzip")).rejects.toThrow(/more than 4 times over/);
  });

  it("shows neither the key nor control characters of an encoding's name", async () => {
    await expect(decode(plain, "TML-Canary")).rejects.toThrow(/packed as "\[redacted\]", which/);
    await expect(decode(plain, "a\u009b2J")).rejects.toThrow(/packed as "a\\u009b2j", which/);
    await expect(decode(plain, "x".repeat(10_000))).rejects.toThrow(/^.{0,200}$/);
  });
});
