import { type AddressInfo, connect, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { ConnectionError, deferred, ValidationError } from "@tinkex/base";
import { CANARY_KEY } from "@tinkex-tooling/canary";
import {
  after,
  answer,
  cutAt,
  goAway,
  type Handshake,
  HostileServer,
  halfClose,
  hangUp,
  inTurn,
  type Move,
  reset,
  resetStream,
  stall,
} from "@tinkex-tooling/hostile-server";
import { Agent } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  eventually,
  failureOf,
  json,
  play,
  startServer,
  text,
  transportTo,
} from "../testing/test-transport.js";

/** A server that speaks TLS, whose handshakes go as told. */
async function playOverTls(tls: Handshake = {}, ...script: readonly Move[]): Promise<HostileServer> {
  return startServer({ script: script.length === 0 ? [answer(200, { safe: true })] : script, tls });
}

describe("TLS", () => {
  it("trusts the certificates it is given", async () => {
    const server = await playOverTls();
    const response = await transportTo(server, { ca: server.ca }).call({ operation: "healthz" });
    expect(text(response.body)).toBe('{"safe":true}');
  });

  it("a certificate that is not trusted is not tried again", async () => {
    const server = await playOverTls();
    const error = await failureOf(transportTo(server).call({ operation: "get_info" }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 1, cause: { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" } });
    expect(error.message).toMatch(/its certificate is not trusted; give .* the option ca/);
    expect(server.requests).toHaveLength(0);
  });

  it("a slow handshake is waited for", async () => {
    const server = await playOverTls({ delayMs: 150 });
    const response = await transportTo(server, { ca: server.ca }).call({ operation: "healthz" });
    expect(response.attempts).toBe(1);
  });

  it("a handshake that never comes runs into the limit for connections, and can be aborted", async () => {
    const server = await playOverTls({ delayMs: Number.POSITIVE_INFINITY });
    const transport = transportTo(server, { ca: server.ca, connectTimeoutMs: 300, firstContactRetries: 1 });
    const error = await failureOf(transport.call({ operation: "healthz" }));
    expect(error).toMatchObject({
      code: "connection_failed",
      attempts: 2,
      cause: { code: "UND_ERR_CONNECT_TIMEOUT" },
    });
    expect(error.message).toMatch(/^could not connect/);

    const patient = transportTo(server, { ca: server.ca });
    const controller = new AbortController();
    const { connections } = server;
    const call = failureOf(patient.call({ operation: "healthz", signal: controller.signal }));
    await eventually(() => server.connections).toBeGreaterThan(connections);
    controller.abort("enough");
    expect(await call).toMatchObject({ code: "aborted", cause: "enough" });
    await patient.close();
    await eventually(() => server.open.size).toBe(0);
  });

  it.each(["reset", "garbage"] as const)(
    "a %s in place of a handshake is a connection that failed",
    async (instead) => {
      const server = await playOverTls({ instead });
      const transport = transportTo(server, { ca: server.ca, firstContactRetries: 2 });
      const error = await failureOf(transport.call({ operation: "get_info" }));
      expect(error).toMatchObject({ code: "connection_failed", attempts: 3 });
      expect(server.requests).toHaveLength(0);
    },
  );
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

  it("are shared by the requests of one piece of work, but not with heartbeats", async () => {
    const server = await play(answer(200, {}));
    const transport = transportTo(server);
    for (const operation of ["asample", "retrieve_future", "forward_backward", "optim_step"]) {
      await transport.call({ operation, body: json({}) });
    }
    expect(transport.stats().sockets).toBe(1);
    await transport.call({ operation: "session_heartbeat", body: json({}) });
    expect(transport.stats().sockets).toBe(2);
  });
});

describe("HTTP/2", () => {
  const overHttp2 = (...script: readonly Move[]): Promise<HostileServer> =>
    startServer({ script, tls: {}, http2: true });

  it("transport 97: fifty polls share one connection where the server speaks HTTP/2", async () => {
    const server = await overHttp2(after(20, answer(200)));
    const transport = transportTo(server, { ca: server.ca, http2: true });
    const poll = (): Promise<{ status: number }> =>
      transport.call({ operation: "retrieve_future", body: json({}) });
    await poll();
    const answers = await Promise.all(Array.from({ length: 50 }, poll));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(new Set(server.requests.map(({ connection }) => connection))).toEqual(new Set([1]));
  });

  it("transport 97: a connection that the server takes leave of is replaced", async () => {
    const server = await overHttp2(inTurn(goAway, after(5, hangUp)), after(20, answer(200)));
    const transport = transportTo(server, { ca: server.ca, http2: true });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => transport.call({ operation: "get_info", body: json({}) })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(new Set(server.requests.map(({ connection }) => connection)).size).toBeGreaterThan(1);
  });

  it.each([
    ["refused", resetStream(7)],
    ["broken off within its body", cutAt(3, answer(200, "abcdef"), resetStream(2))],
    ["lost with its connection", reset],
  ])("transport 97: a request that is %s is sent again under the same key", async (_, fault) => {
    const server = await overHttp2(fault, answer(200, { ok: true }));
    const transport = transportTo(server, { ca: server.ca, http2: true });
    const response = await transport.call({ operation: "optim_step", body: json({}) });
    expect(response.attempts).toBe(2);
    expect(text(response.body)).toBe('{"ok":true}');
    expect(new Set(server.header("x-idempotency-key")).size).toBe(1);
  });

  it("a server that offers HTTP/1.1 alone is spoken to in it", async () => {
    const server = await playOverTls();
    const response = await transportTo(server, { ca: server.ca, http2: true }).call({ operation: "healthz" });
    expect(text(response.body)).toBe('{"safe":true}');
  });
});

describe("half-closed connections", () => {
  it("a server that ends its side without an answer has not answered", async () => {
    const server = await play(halfClose, answer(200));
    const response = await transportTo(server).call({ operation: "get_info" });
    expect(response.attempts).toBe(2);
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
    onTestFinished(() => void proxy.close());
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
    onTestFinished(() => dispatcher.destroy());
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
    expect(server.header("x-api-key")[1]).toBe(CANARY_KEY);
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

  it("a fetch that answers though the call was aborted: its body is not read", async () => {
    const given = deferred<Response>();
    const deaf = (): Promise<Response> => given.promise;
    const transport = transportTo({ url: "http://api.invalid" }, { fetch: deaf, firstContactRetries: 0 });
    const controller = new AbortController();
    const aborted = failureOf(transport.call({ operation: "healthz", signal: controller.signal }));
    await delay(1);
    controller.abort();
    expect(await aborted).toMatchObject({ code: "aborted" });
    let isCancelled = false;
    const endless = new ReadableStream({
      pull: async (stream) => {
        await delay(1);
        stream.enqueue(new Uint8Array(1));
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    given.resolve(new Response(endless));
    await eventually(() => isCancelled).toBe(true);
  });

  it("a fetch that will not be a method", async () => {
    const server = await play(answer(200, { ok: 1 }));
    function alone(this: unknown, ...args: Parameters<typeof fetch>): Promise<Response> {
      if (this !== undefined) throw new TypeError("Illegal invocation");
      return fetch(...args);
    }
    const transport = transportTo(server, { fetch: alone, firstContactRetries: 0 });
    expect((await transport.call({ operation: "healthz" })).status).toBe(200);
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
