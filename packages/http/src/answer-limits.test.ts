import { brotliCompressSync, gzipSync } from "node:zlib";
import { ApiStatusError, ResponseError, systemClock } from "@tinkex/base";
import { after, answer, inTurn, raw } from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "./operations/operations.js";
import { MAX_CONTROL_BYTES, MAX_LIST_BYTES } from "./operations/policy.js";
import { failureOf, play, text, transportTo } from "./testing/test-transport.js";

const MIB = 2 ** 20;
const gzip = { "content-encoding": "gzip", "content-type": "application/json" };
const megabytes = (): number => process.memoryUsage().rss / MIB;

describe("a small answer that unpacks to a large one", () => {
  const bomb = gzipSync(Buffer.from(`[${"1,".repeat(100 * MIB)}1]`), { level: 1 });

  it("as an error costs the memory of an error, and leaves its status", async () => {
    const server = await play(answer(400, bomb, gzip));
    const before = megabytes();
    const error = await failureOf(transportTo(server).call({ operation: "create_session" }));
    expect(error).toBeInstanceOf(ApiStatusError);
    expect(error).toMatchObject({ status: 400, body: expect.stringMatching(/^\[1,1,.{0,200}…$/) });
    expect(error.message.length).toBeLessThan(1_000);
    expect(megabytes() - before).toBeLessThan(150);
  });

  it.each(["healthz", "create_session", "list_training_runs", "asample"])(
    "is refused as the answer to %s",
    async (operation) => {
      const server = await play(answer(200, bomb, gzip));
      const error = await failureOf(transportTo(server).call({ operation }));
      expect(error).toBeInstanceOf(ResponseError);
      expect(error.message).toMatch(/unpacks to more than \d+ bytes/);
      expect(server.requests).toHaveLength(1);
    },
  );

  it("as an error in brotli, twice packed, is read as far as it goes", async () => {
    const packed = brotliCompressSync(gzipSync(Buffer.from(`{"detail":"${"x".repeat(8 * MIB)}"}`)));
    const server = await play(answer(422, packed, { "content-encoding": "gzip, br" }));
    const error = await failureOf(transportTo(server).call({ operation: "create_session" }));
    expect(error).toMatchObject({ status: 422, body: expect.stringMatching(/^\{"detail":"x+…$/) });
  });

  it("does not outlast the limit of its call", async () => {
    const server = await play(after(30, answer(200, bomb, gzip)));
    const transport = transportTo(server, { clock: systemClock });
    const error = await failureOf(transport.call({ operation: "asample", timeoutMs: 50 }));
    expect(["timed_out", "decode_failed"]).toContain(error.code);
  });
});

describe("the table of operations", () => {
  it("bounds every answer: a few MiB for calls that open or end something, more for lists and results", () => {
    for (const [name, { maxAnswerBytes }] of Object.entries(OPERATIONS)) {
      const isResult = /^(asample|forward|forward_backward|retrieve_futures?)$/.test(name);
      if (isResult) expect(maxAnswerBytes, name).toBeGreaterThan(MAX_LIST_BYTES);
      else expect(maxAnswerBytes, name).toBeLessThanOrEqual(MAX_LIST_BYTES);
    }
    for (const name of ["create_session", "optim_step", "save_weights", "auth_token", "healthz"] as const) {
      expect(OPERATIONS[name].maxAnswerBytes).toBe(MAX_CONTROL_BYTES);
    }
  });

  it.each([
    ["plain", {}, (body: Buffer) => body],
    ["packed", gzip, (body: Buffer) => gzipSync(body, { level: 0 })],
  ])("takes an answer up to the limit and none above it, %s", async (_, headers, pack) => {
    const fits = Buffer.alloc(MAX_CONTROL_BYTES - 2_000, "x");
    const server = await play(
      answer(200, pack(fits), headers),
      answer(200, pack(Buffer.concat([fits, fits])), headers),
    );
    const transport = transportTo(server);
    expect((await transport.call({ operation: "healthz" })).body).toHaveLength(fits.length);
    const error = await failureOf(transport.call({ operation: "healthz" }));
    expect(error.message).toMatch(/(longer|more) than 4194304 bytes/);
  });
});

describe("an error that nests deep", () => {
  it.each([
    ["closed", `{"detail":${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
    ["not closed", `{"detail":${"[".repeat(200_000)}`],
    ["of objects", `${'{"detail":'.repeat(80_000)}1${"}".repeat(80_000)}`],
  ])("is told by its status, %s", async (_, body) => {
    const server = await play(answer(404, body));
    const error = await failureOf(transportTo(server).call({ operation: "create_session" }));
    expect(error).toBeInstanceOf(ApiStatusError);
    expect(error).toMatchObject({ status: 404, code: "not_found", body: `${body.slice(0, 200)}…` });
  });

  it("is tried again where its status asks for it", async () => {
    const deep = `{"detail":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const server = await play(answer(503, deep), answer(200, { ok: 1 }));
    expect(await transportTo(server).call({ operation: "create_session" })).toMatchObject({ attempts: 2 });
  });
});

describe("an answer in chunks of one byte", () => {
  it("is read whole", async () => {
    const letters = Array.from({ length: 5_000 }, (_, index) => "abcdefghij"[index % 10]);
    const chunks = letters.map((letter) => `1\r\n${letter}\r\n`).join("");
    const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    const server = await play(inTurn(raw(head), raw(chunks), raw("0\r\n\r\n")));
    const { body } = await transportTo(server).call({ operation: "healthz" });
    expect(text(body)).toBe(letters.join(""));
  });
});
