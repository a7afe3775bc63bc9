import { brotliCompressSync, gzipSync } from "node:zlib";
import { ResponseError, TimeoutError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { CANARY_KEY, everythingOf, findCanaries } from "@tinkex-tooling/canary";
import {
  after,
  answer,
  type HostileServer,
  on,
  redirect,
  reset,
  stall,
} from "@tinkex-tooling/hostile-server";
import type { Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import { consoleLogger } from "./hooks/console-logger.js";
import type { ResponseEvent, RetryEvent, TransportHooks } from "./hooks/transport-hooks.js";
import { MAX_CONTROL_BYTES } from "./operations/policy.js";
import { eventually, failureOf, json, play, seconds, text, transportTo } from "./testing/test-transport.js";
import type { DispatcherLike } from "./transport-options.js";

describe("redirects", () => {
  it("transport 86: another server gets neither key nor headers of ours", async () => {
    const other = await play(answer(200, { here: true }));
    const server = await play(answer(302, "", { location: `${other.url}/file` }));
    const transport = transportTo(server, { defaultHeaders: { "CF-Access-Client-Secret": CANARY_KEY } });
    const response = await transport.call({ operation: "get_audit_log" });
    expect(text(response.body)).toBe('{"here":true}');
    const names = Object.keys(other.requests[0]?.headers ?? {});
    expect(names.filter((name) => /^x-|^cf-|cookie|authorization/.test(name))).toEqual([]);
    expect(findCanaries(everythingOf(other.requests))).toEqual([]);
  });

  it("transport 86: a ring of redirects ends after five, and is not tried again", async () => {
    const server = await play(answer(302, "", { location: "/again" }));
    const error = await failureOf(transportTo(server).call({ operation: "get_audit_log" }));
    expect(error).toBeInstanceOf(ResponseError);
    expect(server.requests).toHaveLength(6);
  });

  it("transport 87: the place of an archive is returned, not gone to", async () => {
    const server = await play(answer(302, "", { location: "https://b.example/x", expires: "soon" }));
    const response = await transportTo(server).call({
      operation: "get_checkpoint_archive",
      pathParameters: { run: "r", kind: "weights", name: "1" },
    });
    expect(response).toMatchObject({ status: 302, headers: { location: "https://b.example/x" } });
    expect(server.header("accept")).toEqual(["application/json"]);
  });

  it("transport 88: an archive that is being packed is asked for six times, half a minute apart", async () => {
    const server = await play(answer(503));
    const transport = transportTo(server);
    const pathParameters = { run: "r", kind: "weights", name: "1" };
    const error = await failureOf(transport.call({ operation: "get_checkpoint_archive", pathParameters }));
    expect(error).toMatchObject({ status: 503, attempts: 6 });
    expect(seconds(transport.clock)).toEqual([30, 30, 30, 30, 30]);
  });

  it("a redirect to a place where nobody is is told as one", async () => {
    const server = await play(redirect(307, "http://127.0.0.1:9/elsewhere"));
    const error = await failureOf(transportTo(server).call({ operation: "get_api_key" }));
    expect(error.message).toMatch(
      /^could not connect to http:\/\/127\.0\.0\.1:9, where http:\/\/127\.0\.0\.1:\d+ redirects to, \(ECONNREFUSED\)/,
    );
  });

  it("a redirect without a place is an error of its status", async () => {
    const server = await play(answer(302));
    expect(await failureOf(transportTo(server).call({ operation: "healthz" }))).toMatchObject({
      status: 302,
    });
  });
});

describe("packed bodies", () => {
  it("transport 93: answers and errors are unpacked", async () => {
    const server = await play(
      answer(200, gzipSync('{"a":1}'), { "content-encoding": "gzip" }),
      answer(422, brotliCompressSync('{"detail":"no"}'), { "content-encoding": "br" }),
    );
    const transport = transportTo(server);
    expect(text((await transport.call({ operation: "healthz" })).body)).toBe('{"a":1}');
    expect(await failureOf(transport.call({ operation: "healthz" }))).toMatchObject({
      body: { detail: "no" },
    });
    expect(server.header("accept-encoding")[0]).toBe("gzip, deflate, br");
  });
});

describe("packed bodies that do not unpack", () => {
  const packed = gzipSync('{"a":1}');
  const gzip = { "content-encoding": "gzip" };

  it("an error is told by its status, and repeated like any of that status", async () => {
    const server = await play(answer(503, "abc", gzip), answer(404, "abc", gzip));
    const error = await failureOf(transportTo(server).call({ operation: "healthz" }));
    expect(error).toMatchObject({ code: "not_found", attempts: 2 });
    expect(error.message).toContain("(the answer is not the gzip data it claims to be)");
  });

  it("transport 8: an answer that ends within its packing is asked for again", async () => {
    const server = await play(answer(200, packed.subarray(0, -9), gzip), answer(200, packed, gzip));
    const { body, attempts } = await transportTo(server).call({ operation: "healthz" });
    expect(text(body)).toBe('{"a":1}');
    expect(attempts).toBe(2);
  });

  it("an answer that is something else is final", async () => {
    const server = await play(answer(200, "abc", gzip));
    const error = await failureOf(transportTo(server).call({ operation: "healthz" }));
    expect(error).toMatchObject({ code: "decode_failed" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("an answer that is longer than its operation's may be", () => {
  // Memory that nobody has written to takes no room.
  const tooLong = new Uint8Array(MAX_CONTROL_BYTES + 1);
  const dispatcher: DispatcherLike = {
    dispatch(_options, handler) {
      const { onConnect, onHeaders, onData, onError } = handler as Required<Dispatcher.DispatchHandler>;
      onConnect(() => {});
      onHeaders(200, [], () => {}, "OK");
      try {
        onData(Buffer.from(tooLong.buffer));
      } catch (error) {
        onError(error as Error);
      }
      return true;
    },
  };

  it.each([
    ["our own connections", { dispatcher }],
    ["a fetch", { fetch: async () => new Response(ReadableStream.from([tooLong])) }],
  ])("is not read to its end, nor asked for again (%s)", async (_, options) => {
    const transport = transportTo({ url: "http://127.0.0.1:9" }, options);
    const error = await failureOf(transport.call({ operation: "healthz" }));
    expect(error).toMatchObject({ code: "response_invalid" });
    expect(transport.clock.sleeps).toEqual([]);
  });
});

describe("the edge proxy", () => {
  it("transport 29: an empty 400 is answered with new connections, and told as a broken one", async () => {
    const server = await play(answer(200), answer(400, ""), answer(200));
    const transport = transportTo(server);
    await transport.call({ operation: "optim_step" });
    await expect(transport.call({ operation: "optim_step" })).resolves.toMatchObject({ attempts: 2 });
    expect(server.requests[2]?.connection).not.toBe(server.requests[1]?.connection);
    await eventually(() => server.closed.has(server.requests[1]?.connection ?? 0)).toBe(true);
  });

  it("where nothing is repeated it is a ConnectionError", async () => {
    const server = await play(answer(400, ""));
    const error = await failureOf(transportTo(server).call({ operation: "session_heartbeat" }));
    expect(error).toMatchObject({ code: "connection_failed", cause: { code: "EMPTY_400" } });
  });

  it("transport 30: a 400 that says something is final", async () => {
    const server = await play(answer(400, { detail: "bad" }));
    const error = await failureOf(transportTo(server).call({ operation: "optim_step" }));
    expect(error).toMatchObject({ code: "bad_request", attempts: 1, body: { detail: "bad" } });
  });
});

/** Sleeps only when told to. */
class HeldClock extends FakeClock {
  readonly wake: (() => void)[] = [];
  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const now = this.monotonic();
    this.sleeps.push(ms);
    await new Promise<void>((resolve) => this.wake.push(resolve));
    signal?.throwIfAborted();
    await this.advance(Math.max(0, now + ms - this.monotonic()));
  }
}

describe("queues", () => {
  it("transport 31, 59: no more requests are under way than the limit of their kind, and all get their turn", async () => {
    const server = await play(after(2, answer(200)));
    const transport = transportTo(server, { poolLimits: { sample: 5 } });
    await Promise.all(
      Array.from({ length: 60 }, (_, n) => transport.call({ operation: "asample", body: json({ n }) })),
    );
    expect(server.mostWaiting).toBe(5);
    const order = server.requests.map((request): unknown => JSON.parse(request.body.toString()).n);
    expect(new Set(order).size).toBe(60);
  });

  it("one kind of traffic does not hold up another", async () => {
    const server = await play(on({ path: "/asample" }, stall), answer(200));
    const transport = transportTo(server, { poolLimits: { sample: 1 } });
    const stuck = failureOf(transport.call({ operation: "asample" }));
    await transport.call({ operation: "session_heartbeat" });
    await transport.close();
    expect(await stuck).toMatchObject({ code: "closed" });
  });

  it("a pause the service asked for holds back the calls of that kind that come after", async () => {
    const server = await play(answer(429, {}, { "retry-after": "20" }), answer(200));
    const clock = new HeldClock();
    const transport = transportTo(server, { clock });
    const first = transport.call({ operation: "get_info" });
    await eventually(() => clock.sleeps).toEqual([20_000]);
    await clock.advance(5_000);
    const second = transport.call({ operation: "optim_step" });
    await transport.call({ operation: "session_heartbeat" });
    expect(clock.sleeps).toEqual([20_000, 15_000]);
    for (const wake of clock.wake) wake();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
  });

  it("those who were held back do not come back in one moment", async () => {
    const server = await play(answer(429, {}, { "retry-after": "20" }), answer(200));
    const clock = new HeldClock();
    const draws = [0, 0, 0.5, 1];
    const transport = transportTo(server, { clock, random: () => draws.shift() ?? 0 });
    const calls = [transport.call({ operation: "get_info" })];
    await eventually(() => clock.sleeps).toEqual([20_000]);
    calls.push(...[1, 2, 3].map(() => transport.call({ operation: "optim_step" })));
    await eventually(() => clock.sleeps).toEqual([20_000, 20_000, 21_000, 22_000]);
    for (const wake of clock.wake) wake();
    await Promise.all(calls);
  });

  it("transport 18: a thousand failing calls leave no connection in use", async () => {
    const server = await play(answer(500, "x".repeat(2_000)));
    const transport = transportTo(server, { poolLimits: { poll: 50 } });
    const errors = await Promise.all(
      Array.from({ length: 1_000 }, () => failureOf(transport.call({ operation: "retrieve_future" }))),
    );
    expect(new Set(errors.map((error) => error.code))).toEqual(new Set(["server_error"]));
    // undici may open a connection for a request while it readies one that just came free.
    expect(server.mostOpen).toBeLessThanOrEqual(100);
    await transport.close();
    await eventually(() => server.open.size).toBe(0);
  });
});

describe("what is told", () => {
  it("hooks hear of every request, answer and repeat, and cannot fail a call", async () => {
    const server = await play(reset, answer(503), answer(200, { ok: true }));
    const responses: ResponseEvent[] = [];
    const retries: RetryEvent[] = [];
    const transport = transportTo(server, {
      hooks: {
        onRequest: () => {
          throw new Error("a watcher's own fault");
        },
        onResponse: (event) => responses.push(event),
        onRetry: (event) => retries.push(event),
      },
    });
    await transport.call({
      operation: "get_session",
      pathParameters: { session: "s" },
      query: { q: "canary" },
    });
    expect(responses.map(({ outcome, attempt, status }) => [outcome, attempt, status])).toEqual([
      ["ECONNRESET", 1, undefined],
      ["answered 503", 2, 503],
      ["answered 200", 3, 200],
    ]);
    expect(responses[2]).toMatchObject({
      operation: "get_session",
      method: "GET",
      url: `${server.url}/api/v1/sessions/s`,
      answerByteLength: 11,
    });
    expect(retries.map(({ delayMs }) => delayMs)).toEqual([1_000, 2_000]);
  });

  it("hooks hear of the end of a request whose call was ended meanwhile", async () => {
    const server = await play(stall);
    const outcomes: string[] = [];
    const transport = transportTo(server, { hooks: { onResponse: ({ outcome }) => outcomes.push(outcome) } });
    const controller = new AbortController();
    const call = failureOf(transport.call({ operation: "healthz", signal: controller.signal }));
    await eventually(() => server.requests.length).toBe(1);
    controller.abort();
    await call;
    await failureOf(transport.call({ operation: "healthz", timeoutMs: 20 }));
    expect(outcomes).toEqual(["aborted", "timed_out"]);
  });

  it("hooks may be methods of an object of a class, and may fail later", async () => {
    const server = await play(answer(200));
    class Watcher implements TransportHooks {
      seen = 0;
      async onRequest(): Promise<void> {
        this.seen += 1;
        // The runner fails the test of a rejection that nobody handles.
        throw new Error("a watcher's own fault, too late for the call");
      }
    }
    const hooks = new Watcher();
    await transportTo(server, { hooks }).call({ operation: "healthz" });
    expect(hooks.seen).toBe(1);
  });

  it("an error tells of the tries before it", async () => {
    const server = await play(reset, answer(429, {}, { "retry-after": "3" }), answer(404));
    const error = await failureOf(transportTo(server).call({ operation: "get_info" }));
    expect(error).toMatchObject({
      attempts: 3,
      earlierTries: [
        { what: "ECONNRESET", pauseMs: 1_000, mayHaveArrived: true },
        { what: "answered 429", pauseMs: 3_000, mayHaveArrived: false },
      ],
    });
  });

  it("a call that runs out of time says what it was up against", async () => {
    const server = await play(answer(503));
    const error = await failureOf(transportTo(server).call({ operation: "get_info", timeoutMs: 2_000 }));
    expect(error.message).toBe("get_info took longer than its limit of 2000 ms (last: answered 503)");
    expect(error).toMatchObject({
      earlierTries: [1_000, 2_000].map((pauseMs) => ({
        what: "answered 503",
        pauseMs,
        mayHaveArrived: true,
      })),
    });
  });

  it.each([
    ["a closed port", "http://127.0.0.1:9", {}, "ECONNREFUSED"],
    ["a name that nobody has", "http://nowhere.invalid", {}, /^(ENOTFOUND|EAI_AGAIN)$/],
    [
      "a proxy that is not there",
      "http://nowhere.invalid",
      { proxy: { httpProxy: "http://127.0.0.1:9" } },
      "ECONNREFUSED",
    ],
  ])(
    // nodejs/undici#1385: an error of time or of fetch without the cause of it.
    "a call to %s that runs out of time has the socket's error for its cause, and its tries",
    async (_, url, more, code) => {
      const transport = transportTo({ url }, { apiKey: CANARY_KEY, ...more });
      const error = await failureOf(
        transport.call({ operation: "get_server_capabilities", timeoutMs: 2_500 }),
      );
      expect(error).toBeInstanceOf(TimeoutError);
      const what = typeof code === "string" ? code : expect.stringMatching(code);
      expect(error).toMatchObject({
        attempts: 2,
        cause: { code: what },
        earlierTries: [{ what, mayHaveArrived: false }, { what }],
        mayHaveArrived: false,
      });
    },
  );

  it("a call that runs out of time while it is sent again counts that try, which may have arrived", async () => {
    const server = await play(reset, stall);
    const transport = transportTo(server, { retry: { firstDelayMs: 10 } });
    const error = await failureOf(transport.call({ operation: "get_info", timeoutMs: 300 }));
    expect(error).toMatchObject({ attempts: 2, mayHaveArrived: true, cause: { code: "ECONNRESET" } });
  });

  it("long pauses are worth a warning, and so is a pause that was cut", async () => {
    const lines: string[] = [];
    const server = await play(answer(429, {}, { "retry-after": "600" }), answer(200));
    const logger = consoleLogger("warn", (line) => lines.push(line));
    await transportTo(server, { logger }).call({ operation: "get_info" });
    expect(lines).toEqual([
      `tinkex warn: get_info at ${server.url}: answered 429; try 2 in 60.0 s (the server asked for 600.0 s)`,
    ]);
  });

  it("an outage under many calls is one warning, not one each", async () => {
    const lines: string[] = [];
    const server = await play(
      answer(429, {}, { "retry-after": "10" }),
      answer(429, {}, { "retry-after": "10" }),
      answer(200),
    );
    const transport = transportTo(server, { logger: consoleLogger("warn", (line) => lines.push(line)) });
    await Promise.all([transport.call({ operation: "get_info" }), transport.call({ operation: "asample" })]);
    expect(lines).toHaveLength(1);
  });

  it("newest-clients 43: a note of deprecation is told once a call, and not for tries that are repeated", async () => {
    const lines: string[] = [];
    const note = { "x-deprecation-note": "old call" };
    const server = await play(answer(503, {}, note), answer(200, {}, note), answer(404, {}, note));
    const transport = transportTo(server, { logger: consoleLogger("warn", (line) => lines.push(line)) });
    await transport.call({ operation: "get_info" });
    await failureOf(transport.call({ operation: "get_info" }));
    expect(lines).toEqual(Array(2).fill("tinkex warn: Deprecation notice: old call"));
  });

  it("transport 94: neither key nor body is in what is logged at debug", async () => {
    const lines: string[] = [];
    const server: HostileServer = await play(answer(503), answer(403, { detail: "you sent tml-canary" }));
    const logger = consoleLogger("debug", (line) => lines.push(line));
    const transport = transportTo(server, { logger, apiKey: "tml-canary" });
    const body = json({ prompt: "canary prompt" });
    const error = await failureOf(transport.call({ operation: "asample", body }));
    expect(lines.length).toBeGreaterThan(2);
    const told = lines.join("\n") + JSON.stringify(error) + error.stack;
    expect(told).toContain("you sent [redacted]");
    expect(told).not.toMatch(/canary/);
  });
});

describe("a success that its caller cannot read", () => {
  const isReadable = (body: Uint8Array): boolean => text(body).startsWith("{");

  it("is asked for again under the same key, and counts as one that may have arrived", async () => {
    const server = await play(answer(200, "<html>"), answer(200, ""), answer(200, { request_id: "r" }));
    const response = await transportTo(server).call({ operation: "optim_step", body: json({}), isReadable });
    expect(response.attempts).toBe(3);
    expect(new Set(server.header("x-idempotency-key")).size).toBe(1);
  });

  it("ends with an error that names operation, address and status, and quotes nothing", async () => {
    const server = await play(answer(200, `<html>${CANARY_KEY}`));
    const call = transportTo(server).call({ operation: "optim_step", body: json({}), isReadable });
    const error = await failureOf(call);
    expect(error).toMatchObject({ code: "connection_failed", mayHaveArrived: true });
    expect(error.message).toContain(server.url);
    expect(error.message).toMatch(
      /answered 200 with \d+ bytes that are no answer of the API\) for optim_step/,
    );
    expect(findCanaries(everythingOf(error))).toEqual([]);
  });
});
