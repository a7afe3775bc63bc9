import { gzipSync } from "node:zlib";
import { systemClock, TinkexError } from "@tinkex/base";
import { answer, hangUp, inTurn, type Move, raw } from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { failureOf, play, text, transportTo } from "./testing/test-transport.js";

const HEAD = "HTTP/1.1 200 OK\r\n";
const OK = `${HEAD}content-length: 2\r\n\r\nok`;
const binary = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const gzipped = (body: Uint8Array): string =>
  `${HEAD}content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n${binary(body)}`;
const packed = gzipSync("ok");
const chunked = (rest: string): string => `${HEAD}transfer-encoding: chunked\r\n\r\n${rest}`;

// nodejs/undici#1490, nodejs/undici#2336, psf/requests#4956, encode/httpx#1461: framing that clients stumble over.
/** Answers that HTTP/1.1 lets a server give, each of which says "ok". */
const GOOD: readonly (readonly [what: string, move: Move])[] = [
  ["a length", raw(OK)],
  ["neither length nor chunks, and an end", inTurn(raw(`${HEAD}\r\nok`), hangUp)],
  ["HTTP/1.0", inTurn(raw("HTTP/1.0 200 OK\r\n\r\nok"), hangUp)],
  ["no reason", raw("HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok")],
  ["chunks", raw(chunked("1\r\no\r\n1\r\nk\r\n0\r\n\r\n"))],
  ["chunks with extensions", raw(chunked('02;a=b;c="d"\r\nok\r\n0;last\r\n\r\n'))],
  ["chunks with trailers", raw(chunked("2\r\nok\r\n0\r\ncontent-encoding: gzip\r\nx-trailer: 1\r\n\r\n"))],
  ["a hundred notes before it", raw("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(100), OK)],
  ["notes of several kinds before it", raw("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 199 X\r\n\r\n", OK)],
  ["more than it promised", raw(`${OK}and more`)],
  ["gzip", raw(gzipped(packed))],
  ["gzip in two members", raw(gzipped(Buffer.concat([gzipSync("o"), gzipSync("k")])))],
  ["gzip and zeros behind it", raw(gzipped(Buffer.concat([packed, Buffer.alloc(9)])))],
  [
    "gzip in chunks of a byte",
    raw(
      chunked(
        `${[...packed].map((byte) => `1\r\n${binary(Uint8Array.of(byte))}\r\n`).join("")}0\r\n\r\n`,
      ).replace(HEAD, `${HEAD}content-encoding: gzip\r\n`),
    ),
  ],
];

describe("an answer", () => {
  it.each(GOOD)("with %s is read, and the next call has its own", async (_, move) => {
    const server = await play(move, answer(200, "next"));
    const transport = transportTo(server);
    const first = await transport.call({ operation: "healthz" });
    expect(text(first.body)).toBe("ok");
    expect(first.headers["x-trailer"]).toBeUndefined();
    expect(first.attempts).toBe(1);
    expect(text((await transport.call({ operation: "healthz" })).body)).toBe("next");
  });
});

/** Answers that break on their way: sending again may bring a whole one. */
const BROKEN: readonly (readonly [what: string, move: Move])[] = [
  // Node's parser refuses even that; others take it (RFC 9110, 8.6, leaves it to them).
  ["the same length twice", raw(`${HEAD}content-length: 2\r\ncontent-length: 2\r\n\r\nok`)],
  ["two lengths", raw(`${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\nok`)],
  ["a negative length", raw(`${HEAD}content-length: -2\r\n\r\nok`)],
  ["a length that is no number", raw(`${HEAD}content-length: two\r\n\r\nok`)],
  ["a length beyond all numbers", raw(`${HEAD}content-length: ${"9".repeat(40)}\r\n\r\nok`)],
  [
    "length and chunks",
    raw(`${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
  ],
  ["a chunk beyond all numbers", raw(chunked("ffffffffffffffffff\r\nok"))],
  ["a chunk of no size", raw(chunked("x\r\nok\r\n0\r\n\r\n"))],
  ["chunks without the last", inTurn(raw(chunked("2\r\nok\r\n")), hangUp)],
  ["trailers that are cut", inTurn(raw(chunked("2\r\nok\r\n0\r\nx-tr")), hangUp)],
  ["trailers that are none", raw(chunked("2\r\nok\r\n0\r\n\u0000\r\n\r\n"))],
  ["a body that ends early", inTurn(raw(`${HEAD}content-length: 9\r\n\r\nok`), hangUp)],
  ["a head that ends early", inTurn(raw(`${HEAD}content-le`), hangUp)],
  ["a head of 100 kB", raw(`${HEAD}x: ${"x".repeat(100_000)}\r\n\r\n`)],
  ["a header of control characters", raw(`${HEAD}x: \u0000\u0001\r\ncontent-length: 2\r\n\r\nok`)],
  ["another protocol", raw("SSH-2.0-OpenSSH_9.6\r\n\r\n")],
  ["a switch of protocols nobody asked for", raw("HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n")],
  ["a go-ahead nobody asked for", raw("HTTP/1.1 100 Continue\r\n\r\n", OK)],
  ["notes and an end", inTurn(raw("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(3)), hangUp)],
  ["gzip that ends early", raw(gzipped(packed.subarray(0, -9)))],
  ["gzip that ends within its head", raw(gzipped(packed.subarray(0, 5)))],
];

describe("an answer that is broken", () => {
  it.each(BROKEN)("with %s is asked for again", async (_, move) => {
    const server = await play(move, answer(200, "whole"));
    const response = await transportTo(server).call({ operation: "healthz" });
    expect(text(response.body)).toBe("whole");
    expect(response.attempts).toBe(2);
  });
});

describe("a storm of notes before an answer", () => {
  it("ends with the call's limit, and takes no memory", async () => {
    const note = `HTTP/1.1 103 Early Hints\r\nlink: </${"a".repeat(1000)}>\r\n\r\n`;
    const server = await play(raw(note.repeat(200_000)));
    const before = process.memoryUsage().rss;
    const transport = transportTo(server, { clock: systemClock });
    const error = await failureOf(transport.call({ operation: "healthz", timeoutMs: 1_000 }));
    expect(error).toBeInstanceOf(TinkexError);
    expect(error.code).toBe("timed_out");
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });
});
