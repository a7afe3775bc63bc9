import { ResponseError, ValidationError } from "@tinkex/base";
import { answer, type HostileServer, hangUp, reset } from "@tinkex-tooling/hostile-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { failureOf, play, transportTo } from "../testing/test-transport.js";
import { multipartBody } from "./multipart-body.js";
import { RequestBodyError, type StreamedBody } from "./streamed-body.js";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

async function* stream(...pieces: readonly (string | Error)[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const piece of pieces) {
    if (piece instanceof Error) throw piece;
    yield encode(piece);
  }
}

const again = (): StreamedBody =>
  multipartBody({
    boundary: "b",
    files: [{ name: "f", content: { byteLength: 6, stream: () => stream("abc", "def") } }],
  });
const once = (...pieces: readonly (string | Error)[]): StreamedBody =>
  multipartBody({
    boundary: "b",
    files: [{ name: "f", content: { byteLength: 6, stream: stream(...pieces) } }],
  });

const WHOLE =
  '--b\r\nContent-Disposition: form-data; name="f"; filename="upload"\r\n' +
  "Content-Type: application/octet-stream\r\n\r\nabcdef\r\n--b--\r\n";

const bodies = (server: HostileServer): string[] => server.requests.map(({ body }) => body.toString());

describe.each(["undici", "fetch"])("a streamed body over %s", (way) => {
  const transportOver = (server: { readonly url: string }): ReturnType<typeof transportTo> =>
    transportTo(server, way === "fetch" ? { fetch } : {});

  it("goes out in pieces, and again on a repeat, with the same key", async () => {
    const server = await play(reset, answer(503), answer(200));
    const response = await transportOver(server).call({ operation: "save_weights", body: again() });
    expect(response.attempts).toBe(3);
    expect(server.header("content-type")).toEqual(Array(3).fill("multipart/form-data; boundary=b"));
    expect(new Set(server.header("x-idempotency-key")).size).toBe(1);
    expect(bodies(server)).toEqual(Array(3).fill(WHOLE));
  });

  it("of a stream that can be read once is sent once, and the error says so", async () => {
    for (const failure of [reset, hangUp, answer(503)]) {
      const server = await play(failure, answer(200));
      const call = { operation: "save_weights", body: once("abcdef") };
      const error = await failureOf(transportOver(server).call(call));
      expect(error).toMatchObject({ attempts: 1 });
      expect(error.message).toMatch(/not sent again, for its body can be read only once/);
      expect(bodies(server)).toEqual([WHOLE]);
      const second = await failureOf(transportOver(server).call(call));
      expect(second).toBeInstanceOf(ValidationError);
      expect(second.message).toMatch(/read once/);
    }
  });

  it("of a source that fails, or lies about its length, ends the call as the source's own failure", async () => {
    const server = await play(answer(200));
    const broken = await failureOf(
      transportOver(server).call({ operation: "save_weights", body: once("abc", new Error("disk is gone")) }),
    );
    expect(broken).toBeInstanceOf(RequestBodyError);
    expect(broken.cause).toMatchObject({ message: "disk is gone" });
    const short = await failureOf(
      transportOver(server).call({ operation: "save_weights", body: once("abc") }),
    );
    expect(short.message).toMatch(/gave 3 bytes instead of the 6 promised/);
    expect(server.requests).toHaveLength(0);
  });
});

describe("a streamed body", () => {
  it("has its length told to the server, so that it need not come in chunks", async () => {
    const server = await play(answer(200));
    await transportTo(server).call({ operation: "save_weights", body: again() });
    expect(server.header("content-length")).toEqual([String(WHOLE.length)]);
    expect(server.header("transfer-encoding")).toEqual([undefined]);
  });

  it("that finds no connection is left whole, and goes out when there is one", async () => {
    const body = once("abc", "def");
    const nowhere = transportTo({ url: "http://127.0.0.1:9" });
    const error = await failureOf(nowhere.call({ operation: "create_session", body }));
    expect(error).toMatchObject({ attempts: 11, cause: { code: "ECONNREFUSED" } });
    expect(body.isSpent).toBe(false);
    const server = await play(answer(200));
    await transportTo(server).call({ operation: "create_session", body });
    expect(bodies(server)).toEqual([WHOLE]);
  });

  it("is sent to the place a redirect names, if it can be opened once more", async () => {
    const server = await play(answer(307, "", { location: "/elsewhere" }), answer(200));
    await transportTo(server).call({ operation: "save_weights", body: again() });
    expect(server.requests.map(({ path, body }) => [path, body.toString()])).toEqual([
      ["/api/v1/save_weights", WHOLE],
      ["/elsewhere", WHOLE],
    ]);
    const second = await play(answer(307, "", { location: "/elsewhere" }));
    const call = { operation: "save_weights", body: once("abcdef") };
    expect(await failureOf(transportTo(second).call(call))).toBeInstanceOf(ResponseError);
  });

  it("stops being read when the call is aborted, and its source is closed", async () => {
    const server = await play(answer(200));
    const controller = new AbortController();
    let closed = false;
    async function* endless(): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        for (;;) {
          yield new Uint8Array(65_536);
          await new Promise((resolve) => setTimeout(resolve, 1));
          controller.abort();
        }
      } finally {
        closed = true;
      }
    }
    const body = multipartBody({
      files: [{ name: "f", content: { byteLength: 2 ** 40, stream: endless } }],
    });
    const { signal } = controller;
    const error = await failureOf(transportTo(server).call({ operation: "save_weights", body, signal }));
    expect(error.code).toBe("aborted");
    await expect.poll(() => closed).toBe(true);
  });

  it.each(["healthz", "get_info"])(
    "has no place where a body or its type has none (%s)",
    async (operation) => {
      const server = await play(answer(200));
      onTestFinished(async () => expect(server.requests).toHaveLength(0));
      const call = {
        operation,
        body: again(),
        ...(operation === "get_info" ? { contentType: "text/plain" } : {}),
      };
      expect(await failureOf(transportTo(server).call(call))).toBeInstanceOf(ValidationError);
    },
  );
});
