import { readFileSync } from "node:fs";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import { type AddressInfo, connect, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { ConnectionError, ValidationError } from "@tinkex/types";
import { Agent } from "undici";
import { describe, expect, it } from "vitest";
import { answer, HostileServer, stall } from "../testing/hostile-server.js";
import {
  afterTest,
  eventually,
  failureOf,
  json,
  play,
  text,
  transportTo,
} from "../testing/test-transport.js";

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), "utf8");
const tls = { key: fixture("loopback-key.pem"), cert: fixture("loopback-cert.pem") };

async function playOverTls(): Promise<HostileServer> {
  const server = await HostileServer.start([answer(200, { safe: true })], tls);
  afterTest(() => server[Symbol.asyncDispose]());
  return server;
}

describe("TLS", () => {
  it("trusts the certificates it is given", async () => {
    const server = await playOverTls();
    const response = await transportTo(server, { ca: tls.cert }).call({ operation: "healthz" });
    expect(text(response.body)).toBe('{"safe":true}');
  });

  it("a certificate that is not trusted is not tried again", async () => {
    const server = await playOverTls();
    const error = await failureOf(transportTo(server).call({ operation: "get_info" }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 1, cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" } });
    expect(error.message).toMatch(/its certificate is not trusted; give .* the option ca/);
    expect(server.requests).toHaveLength(0);
  });
});

describe("connections", () => {
  it("are kept between calls, and the pools of those that ended are let go", async () => {
    const server = await play(answer(200, {}, { connection: "close" }), answer(200));
    const transport = transportTo(server);
    await transport.call({ operation: "get_info" });
    await eventually(() => server.closed.has(1)).toBe(true);
    transport.clock.advance(61_000);
    await transport.call({ operation: "get_info" });
    await delay(20);
    transport.clock.advance(61_000);
    // The pool has a connection now, which is used again.
    await transport.call({ operation: "get_info" });
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2, 2]);
  });
});

describe("HTTP/2", () => {
  async function http2Server(
    farewells = 0,
  ): Promise<{ url: string; sessions: number; server: Http2SecureServer }> {
    const server = createSecureServer(tls, (request, response) => {
      request.resume();
      if (farewells > 0) {
        farewells -= 1;
        response.stream.session?.goaway();
        setTimeout(() => response.stream.session?.destroy(), 5);
      } else {
        setTimeout(() => response.end("{}"), 20);
      }
    });
    const state = { url: "", sessions: 0, server };
    server.on("session", (session) => {
      state.sessions += 1;
      session.on("error", () => {});
      afterTest(async () => session.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    afterTest(async () => void server.close());
    state.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return state;
  }

  it("transport 97: fifty polls share one connection where the server speaks HTTP/2", async () => {
    const server = await http2Server();
    const transport = transportTo(server, { ca: tls.cert, http2: true });
    const poll = (): Promise<{ status: number }> =>
      transport.call({ operation: "retrieve_future", body: json({}) });
    await poll();
    const answers = await Promise.all(Array.from({ length: 50 }, poll));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(server.sessions).toBe(1);
  });

  it("transport 97: a connection that the server takes leave of is replaced", async () => {
    const server = await http2Server(1);
    const transport = transportTo(server, { ca: tls.cert, http2: true });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => transport.call({ operation: "get_info", body: json({}) })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(server.sessions).toBeGreaterThan(1);
  });
});

describe("proxies", () => {
  it("BR-031: a host that only the proxy can find is reached through it", async () => {
    const target = await play(answer(200, { behind: true }));
    const asked: string[] = [];
    const proxy = createServer((socket) => {
      socket.once("data", (head) => {
        asked.push(head.toString("latin1").split("\r\n")[0] ?? "");
        const onward = connect(Number(new URL(target.url).port), "127.0.0.1");
        onward.on("error", () => {});
        socket.on("error", () => {});
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.pipe(onward).pipe(socket);
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    afterTest(async () => void proxy.close());
    const httpProxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const transport = transportTo({ url: "http://nowhere.invalid" }, { proxy: { httpProxy } });
    const response = await transport.call({ operation: "healthz" });
    expect(text(response.body)).toBe('{"behind":true}');
    expect(asked).toEqual(["CONNECT nowhere.invalid:80 HTTP/1.1"]);
  });
});

describe("what a user brings", () => {
  it("BR-033: a dispatcher of our undici", async () => {
    const server = await play(answer(200, { ok: 1 }));
    const dispatcher = new Agent();
    afterTest(() => dispatcher.destroy());
    const transport = transportTo(server, { dispatcher });
    expect(text((await transport.call({ operation: "optim_step", body: json({}) })).body)).toBe('{"ok":1}');
    await transport.close();
    expect(dispatcher.closed).toBe(false);
  });

  it("BR-033: a dispatcher of an older major, with the older handlers", async () => {
    interface OldHandler {
      onConnect(abort: () => void): void;
      onHeaders(status: number, headers: Buffer[], resume: () => void, text: string): boolean;
      onData(chunk: Buffer): boolean;
      onComplete(trailers: Buffer[]): void;
    }
    const dispatcher = {
      dispatch(_options: object, handler: object): boolean {
        // Exactly what undici 6 calls, and nothing else.
        const old = handler as OldHandler;
        old.onConnect(() => {});
        old.onHeaders(
          200,
          ["X-Two", "a", "x-two", "b"].map((word) => Buffer.from(word)),
          () => {},
          "OK",
        );
        old.onData(Buffer.from("{}"));
        old.onComplete([]);
        return true;
      },
    };
    const response = await transportTo({ url: "http://127.0.0.1:9" }, { dispatcher }).call({
      operation: "healthz",
    });
    expect(response).toMatchObject({ status: 200, headers: { "x-two": "a, b" } });
  });

  it("BR-033: something that is no dispatcher is refused at once", () => {
    const dispatcher = {} as { dispatch(): boolean };
    expect(() => transportTo({ url: "http://127.0.0.1:9" }, { dispatcher })).toThrow(ValidationError);
  });

  it("a fetch: answers, errors, time limits and aborts are as with undici", async () => {
    const server = await play(answer(503), answer(200, { ok: 1 }), answer(404, { detail: "no" }), stall);
    const transport = transportTo(server, { fetch });
    const response = await transport.call({ operation: "optim_step", body: json({ a: 1 }) });
    expect(response).toMatchObject({ status: 200, attempts: 2 });
    expect(server.requests[1]?.body.toString()).toBe('{"a":1}');
    expect(server.header("x-api-key")[1]).toBe("tml-test");
    expect(await failureOf(transport.call({ operation: "healthz" }))).toMatchObject({ status: 404 });
    const controller = new AbortController();
    const stuck = failureOf(transport.call({ operation: "healthz", signal: controller.signal }));
    await eventually(() => server.requests.length).toBe(4);
    controller.abort("enough");
    expect(await stuck).toMatchObject({ code: "aborted", cause: "enough" });
    expect(await failureOf(transport.call({ operation: "healthz", timeoutMs: 50 }))).toMatchObject({
      code: "timed_out",
    });
  });

  it("a fetch that cannot connect tells the socket's code", async () => {
    const gone = await HostileServer.play(stall);
    const { url } = gone;
    await gone[Symbol.asyncDispose]();
    const transport = transportTo({ url }, { fetch, firstContactRetries: 0 });
    const error = await failureOf(transport.call({ operation: "healthz" }));
    expect(error).toMatchObject({ code: "connection_failed", attempts: 1, cause: { code: "ECONNREFUSED" } });
  });
});
