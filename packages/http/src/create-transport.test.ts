import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import { ApiStatusError, ClosedError, ConnectionError, ValidationError } from "@tinkex/base";
import { CANARY_KEY } from "@tinkex-tooling/canary";
import {
  after,
  answer,
  cutShort,
  hangUp,
  inTurn,
  on,
  raw,
  reset,
  stall,
} from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { eventually, failureOf, json, play, seconds, transportTo } from "./testing/test-transport.js";

describe("retries", () => {
  it("transport 1: a counted call is sent 11 times, with one key and rising counts", async () => {
    const server = await play(answer(503, { detail: "later" }));
    const transport = transportTo(server);
    const error = await failureOf(transport.call({ operation: "create_session", body: json({}) }));
    expect(error).toBeInstanceOf(ApiStatusError);
    expect(error).toMatchObject({ code: "server_error", status: 503, attempts: 11, retryable: true });
    expect(seconds(transport.clock)).toEqual([0.5, 1, 2, 4, 8, 10, 10, 10, 10, 10]);
    expect(server.header("x-stainless-retry-count")).toEqual([..."0123456789"].concat("10"));
    expect(new Set(server.header("x-idempotency-key")).size).toBe(1);
  });

  it("transport 2: the server's hints are obeyed, and its word to stop", async () => {
    const server = await play(
      answer(503),
      answer(429, {}, { "retry-after": "7" }),
      answer(409, {}, { "retry-after-ms": "1500" }),
      answer(408, {}, { "retry-after": "61" }),
      answer(500, { detail: "no" }, { "x-should-retry": "false" }),
    );
    const transport = transportTo(server);
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(error).toMatchObject({ status: 500, body: { detail: "no" }, attempts: 5 });
    expect(seconds(transport.clock)).toEqual([0.5, 7, 1.5, 60]);
  });

  it("transport 3, 4: x-should-retry wins over the status, in lower case alone", async () => {
    const server = await play(
      answer(400, {}, { "x-should-retry": "true" }),
      answer(503, {}, { "x-should-retry": "TRUE" }),
      answer(200),
    );
    const transport = transportTo(server);
    await expect(transport.call({ operation: "create_session" })).resolves.toMatchObject({ attempts: 3 });
  });

  it.each([
    [401, "authentication_failed"],
    [402, "billing_required"],
    [404, "not_found"],
    [410, "gone"],
    [422, "unprocessable"],
  ])("transport 5: %i is final (%s)", async (status, code) => {
    const server = await play(answer(status, { detail: "no" }));
    const transport = transportTo(server);
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(error).toMatchObject({ code, status, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it("transport 6: a refused connection is tried 11 times, and the message says what to look at", async () => {
    const transport = transportTo({ url: "http://127.0.0.1:9" });
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: "connection_failed", attempts: 11, cause: { code: "ECONNREFUSED" } });
    expect(error.message).toMatch(/^could not connect to http:\/\/127\.0\.0\.1:9 \(ECONNREFUSED\)/);
    expect(error.message).toMatch(/is the server running, and TINKER_BASE_URL right\?$/);
    expect(seconds(transport.clock)).toEqual([0.5, 1, 2, 4, 8, 10, 10, 10, 10, 10]);
  });

  it("gives up sooner on a server that never answered, when told so", async () => {
    const transport = transportTo({ url: "http://127.0.0.1:9" }, { firstContactRetries: 2 });
    const error = await failureOf(transport.call({ operation: "client_config", body: json({}) }));
    expect(error).toMatchObject({ attempts: 3 });
  });

  it("transport 8: an answer that breaks off is asked for again", async () => {
    const server = await play(cutShort(100, "ab", hangUp), answer(200, { ok: true }));
    const transport = transportTo(server);
    const response = await transport.call({ operation: "create_session" });
    expect(response.attempts).toBe(2);
    expect(new TextDecoder().decode(response.body)).toBe('{"ok":true}');
  });

  it("transport 19, 60: patient calls last 300 s", async () => {
    const server = await play(answer(503));
    const transport = transportTo(server);
    const error = await failureOf(transport.call({ operation: "asample", body: json({}) }));
    expect(error).toMatchObject({ attempts: 15 });
    expect(seconds(transport.clock)).toEqual([1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30, 30, 29]);
  });

  it("transport 20: what the tries take counts towards the 300 s", async () => {
    // Each try takes 57 s by the clock.
    const onResponse = (): void => void transport.clock.advance(57_000);
    const transport = transportTo(await play(answer(503)), { hooks: { onResponse } });
    const error = await failureOf(transport.call({ operation: "get_info" }));
    // Five times 57 s and 15 s of pauses are the 300 s.
    expect(error).toMatchObject({ attempts: 5 });
    expect(seconds(transport.clock)).toEqual([1, 2, 4, 8]);
  });

  it("transport 22: pauses of patient calls begin at a second", async () => {
    const server = await play(reset, reset, answer(200));
    const transport = transportTo(server);
    await expect(transport.call({ operation: "get_info" })).resolves.toMatchObject({ attempts: 3 });
    expect(seconds(transport.clock)).toEqual([1, 2]);
  });

  it("transport 28: one layer repeats, with one key", async () => {
    const server = await play(...Array.from({ length: 11 }, () => answer(503)), answer(200));
    const transport = transportTo(server);
    await expect(transport.call({ operation: "optim_step", body: json({}) })).resolves.toMatchObject({
      attempts: 12,
    });
    expect(new Set(server.header("x-idempotency-key")).size).toBe(1);
  });

  it.each([
    ["resets", reset],
    ["closes", hangUp],
  ])(
    "BR-023: a kept connection that the server %s is replaced at once, with the same key",
    async (_, end) => {
      const server = await play(on({ usedConnection: true }, end), answer(200));
      const transport = transportTo(server);
      await transport.call({ operation: "session_heartbeat", body: json({}) });
      await delay(20);
      const response = await transport.call({ operation: "session_heartbeat", body: json({}) });
      expect(response.attempts).toBe(2);
      expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
      const [, lost, again] = server.header("x-idempotency-key");
      expect(again).toBe(lost);
      expect(transport.clock.sleeps).toEqual([]);
    },
  );

  it("BR-023: a server that closes each connection after its answer goes unnoticed", async () => {
    const server = await play(inTurn(answer(200), after(5, hangUp)));
    const transport = transportTo(server);
    for (let i = 0; i < 40; i += 1) {
      await transport.call({ operation: "session_heartbeat", body: json({}) });
      await delay(i % 10);
    }
    expect(transport.clock.sleeps).toEqual([]);
  });

  it("a new connection that breaks is the server's doing: no free repeat", async () => {
    const server = await play(reset);
    const error = await failureOf(transportTo(server).call({ operation: "session_heartbeat" }));
    expect(error).toMatchObject({ code: "connection_failed", attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });
});

describe("close", () => {
  it("transport 98: ends what is under way, twice if asked, and refuses what comes after", async () => {
    const server = await play(stall);
    const transport = transportTo(server);
    const calls = Array.from({ length: 5 }, () => failureOf(transport.call({ operation: "healthz" })));
    await eventually(() => server.requests.length).toBe(5);
    await Promise.all([transport.close(), transport.close()]);
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(ClosedError);
    await eventually(() => server.open.size).toBe(0);
    expect(await failureOf(transport.call({ operation: "healthz" }))).toMatchObject({ code: "closed" });
  });

  it("await using closes it at the end of the block, with the calls that are under way", async () => {
    const server = await play(stall);
    let call: Promise<unknown>;
    {
      await using transport = transportTo(server);
      call = failureOf(transport.call({ operation: "healthz" }));
      await eventually(() => server.requests.length).toBe(1);
    }
    expect(await call).toBeInstanceOf(ClosedError);
    await eventually(() => server.open.size).toBe(0);
  });

  it("await using closes it after an error in the block, and a later call is refused", async () => {
    const server = await play(answer(200));
    const transports: ReturnType<typeof transportTo>[] = [];
    const block = async (): Promise<void> => {
      await using transport = transportTo(server);
      transports.push(transport);
      await transport.call({ operation: "healthz" });
      throw new Error("mine");
    };
    await expect(block()).rejects.toThrow("mine");
    const [transport] = transports;
    expect(await failureOf(Promise.resolve(transport?.call({ operation: "healthz" })))).toBeInstanceOf(
      ClosedError,
    );
  });
});

describe("answers", () => {
  it("BR-027: bodies of errors are read, so that their connections serve again", async () => {
    const server = await play(answer(404, "x".repeat(64 * 1024)));
    const transport = transportTo(server);
    for (let i = 0; i < 50; i += 1) await failureOf(transport.call({ operation: "healthz" }));
    // Two, not one: undici takes a moment before it uses a connection again.
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it("BR-029: a gateway's page is cut to 200 characters", async () => {
    const server = await play(answer(404, `<html>${"x".repeat(5000)}</html>`));
    const error = await failureOf(transportTo(server).call({ operation: "healthz" }));
    expect(error).toMatchObject({ status: 404 });
    expect(String((error as ApiStatusError).body)).toHaveLength(201);
  });

  it("returns the statuses the caller asked for, at once", async () => {
    const server = await play(answer(408, { type: "try_again" }));
    const response = await transportTo(server).call({ operation: "retrieve_future", returnStatuses: [408] });
    expect(response).toMatchObject({ status: 408, attempts: 1 });
  });

  it("joins a header that came twice", async () => {
    const server = await play(answer(200, {}, { "x-two": ["a", "b"] }));
    const response = await transportTo(server).call({ operation: "healthz" });
    expect(response.headers["x-two"]).toBe("a, b");
  });

  it("waits past a 103 for the answer itself", async () => {
    const server = await play(
      raw("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
    );
    expect(await transportTo(server).call({ operation: "healthz" })).toMatchObject({ status: 200 });
  });
});

describe("requests", () => {
  it("keeps the base URL's path and sends the key, the body and its type", async () => {
    const server = await play(answer(200));
    const transport = transportTo({ url: `${server.url}/services/x///` });
    await transport.call({
      operation: "optim_step",
      body: json({ a: 1 }),
      headers: { "X-SDK-Method": "a.b" },
    });
    const [request] = server.requests;
    expect(request).toMatchObject({ method: "POST", path: "/services/x/api/v1/optim_step" });
    expect(request?.body.toString()).toBe('{"a":1}');
    expect(request?.headers).toMatchObject({
      "x-api-key": CANARY_KEY,
      "content-type": "application/json",
      accept: "application/json",
      "x-sdk-method": "a.b",
      "x-stainless-read-timeout": "60",
      "x-stainless-runtime": "node",
    });
  });

  it("transport 15: every method but GET carries an idempotency key, and the caller's own wins", async () => {
    const server = await play(answer(200));
    const transport = transportTo(server);
    await transport.call({ operation: "healthz" });
    await transport.call({
      operation: "delete_checkpoint",
      pathParameters: { run: "r", kind: "weights", name: "1" },
    });
    await transport.call({ operation: "optim_step", headers: { "X-IDEMPOTENCY-KEY": "mine" } });
    const [none, some, mine] = server.header("x-idempotency-key");
    expect(none).toBeUndefined();
    expect(some).toMatch(/^[0-9a-f-]{36}$/);
    expect(mine).toBe("mine");
  });

  it("transport 16: a retry count that the caller sets stays on every try", async () => {
    const server = await play(answer(503), answer(200));
    await transportTo(server).call({ operation: "get_info", headers: { "X-Stainless-Retry-Count": "x" } });
    expect(server.header("x-stainless-retry-count")).toEqual(["x", "x"]);
  });

  it("transport 17: the server learns how long a try may take", async () => {
    const server = await play(answer(200));
    const transport = transportTo(server);
    for (const operation of ["retrieve_future", "session_heartbeat", "telemetry", "optim_step"]) {
      await transport.call({ operation });
    }
    expect(server.header("x-stainless-read-timeout")).toEqual(["45", "10", "5", "60"]);
  });

  it.each([
    ["text", "string"],
    [{}, "object"],
    [new ArrayBuffer(3), "object"],
    [null, "null"],
  ])("refuses %j for a body", async (body, got) => {
    const transport = transportTo({ url: "http://127.0.0.1:9" });
    const error = await failureOf(transport.call({ operation: "optim_step", body: body as never }));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.message).toBe(
      `optim_step: body must be a Uint8Array or a streamed body such as one of multipartBody, got ${got}`,
    );
  });

  it("refuses an operation there is none of, and names those there are", async () => {
    const transport = transportTo({ url: "http://127.0.0.1:9" });
    const error = await failureOf(transport.call({ operation: "toString" }));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.message).toContain("forward_backward");
  });
});

describe("secrets", () => {
  it("transport 94, BR-036: the key is in no message, log line or inspection", async () => {
    const canary = "tml-canary-5f2c";
    const lines: unknown[] = [];
    const log = (...parts: unknown[]): void => void lines.push(parts);
    const server = await play(answer(401, { detail: "bad key" }));
    const transport = transportTo(server, {
      apiKey: canary,
      logger: { debug: log, info: log, warn: log, error: log },
    });
    const error = await failureOf(transport.call({ operation: "healthz" }));
    const everything = inspect([error, transport, lines], { depth: 20, showHidden: true }) + error.stack;
    expect(server.header("x-api-key")).toEqual([canary]);
    expect(everything).not.toContain(canary);
  });
});
