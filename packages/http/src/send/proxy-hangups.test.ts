import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import { ConnectionError, systemClock } from "@tinkex/base";
import {
  after,
  answer,
  drip,
  type HostileServer,
  hangUp,
  inTurn,
  type Move,
  on,
  raw,
  reset,
  stall,
  tunnel,
} from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { eventually, failureOf, play, startServer, text, transportTo } from "../testing/test-transport.js";
import type { TransportOptions } from "../transport-options.js";

// nodejs/undici#3897: undici asks again, at once and for ever, where a proxy closes the connection before it has answered
// CONNECT. nodejs/undici#5441 mends it; no release of major 7 has it.

const TARGETS = ["http://api.invalid", "https://api.invalid"];

function behind(proxy: HostileServer, options: TransportOptions = {}): TransportOptions {
  const address = proxy.url.replace("//", "//user:canary-password@");
  return { proxy: { httpProxy: address, httpsProxy: address }, ...options };
}

function connectsOf(proxy: HostileServer): number {
  return proxy.requests.filter(({ method }) => method === "CONNECT").length;
}

/** Ways in which a proxy fails, and how the error tells of it. */
const FAILURES: readonly (readonly [way: string, move: Move, told: RegExp])[] = [
  ["hangs up", hangUp, /the proxy hung up/],
  ["resets", reset, /ECONNRESET/],
  ["answers no HTTP", raw("SSH-2.0-OpenSSH_9.6\r\n\r\n"), /the proxy's answer is not HTTP/],
  ["ends within the status line", inTurn(raw("HTTP/1.1 2"), hangUp), /the proxy hung up/],
  ["ends within the head", inTurn(raw("HTTP/1.1 200 OK\r\nvia: x"), hangUp), /the proxy hung up/],
  ["sends a head without end", raw(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}`), /not HTTP/],
  ["sends more than it was asked for", raw("HTTP/1.1 200 OK\r\n\r\nHello!"), /not HTTP/],
  ["answers 407", answer(407), /the proxy answered 407\).*give its user name and password/],
  ["answers 403", answer(403), /the proxy answered 403/],
  ["answers 502", answer(502, "<html>bad gateway"), /the proxy answered 502/],
  ["answers 502 and hangs up", inTurn(answer(502), hangUp), /the proxy answered 502/],
];

describe.each(TARGETS)("to %s, a proxy that", (url) => {
  it.each(FAILURES)(
    "%s costs one CONNECT a try, and is named without its password",
    async (_, move, told) => {
      const proxy = await play(move);
      const transport = transportTo({ url }, behind(proxy, { firstContactRetries: 2 }));
      const error = await failureOf(transport.call({ operation: "create_session" }));
      expect(connectsOf(proxy)).toBe(3);
      expect(transport.clock.sleeps).toEqual([500, 1000]);
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ attempts: 3, retryable: true });
      expect(error.message).toMatch(told);
      expect(error.message).toContain(`${url} through the proxy ${proxy.url} `);
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("canary-password");
      // No failed try says that the service may have done the work: it was never reached.
      expect(error).toMatchObject({ earlierTries: [{ mayHaveArrived: false }, { mayHaveArrived: false }] });
      await delay(100);
      expect(connectsOf(proxy)).toBe(3);
    },
  );

  it("hangs up is sent nothing more once the call has ended by its limit", async () => {
    const proxy = await play(hangUp);
    const transport = transportTo({ url }, behind(proxy, { clock: systemClock }));
    const error = await failureOf(transport.call({ operation: "create_session", timeoutMs: 300 }));
    expect(error).toMatchObject({ code: "timed_out" });
    expect(error.message).toMatch(/the proxy hung up/);
    const sent = connectsOf(proxy);
    expect(sent).toBeLessThanOrEqual(2);
    await delay(300);
    expect(connectsOf(proxy)).toBe(sent);
  });

  it.each([
    ["never answers CONNECT", stall],
    ["drips its head", drip("HTTP/1.1 200 OK\r\n".padEnd(1000, "x"), 20)],
  ])("%s is given up on by connectTimeoutMs", async (_, move) => {
    const proxy = await play(move);
    const transport = transportTo({ url }, behind(proxy, { connectTimeoutMs: 200, firstContactRetries: 1 }));
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(error).toMatchObject({ attempts: 2, cause: { code: "UND_ERR_CONNECT_TIMEOUT" } });
    expect(error.message).toContain(`through the proxy ${proxy.url} `);
    expect(connectsOf(proxy)).toBe(2);
    await eventually(() => proxy.open.size).toBe(0);
  });
});

describe("a proxy that is a black hole", () => {
  it("is given up on by connectTimeoutMs", async () => {
    // 192.0.2.0/24 is for documentation (RFC 5737): either nothing answers, or there is no way to it.
    const proxy = "http://192.0.2.1:3128";
    const startedAt = performance.now();
    const transport = transportTo(
      { url: "http://api.invalid" },
      { proxy: { httpProxy: proxy }, connectTimeoutMs: 200, firstContactRetries: 0 },
    );
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain(`through the proxy ${proxy} `);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });
});

describe("a proxy over TLS", () => {
  it("whose certificate is not trusted is told so, and not asked again", async () => {
    const proxy = await startServer({ script: [stall], tls: {} });
    const transport = transportTo({ url: "https://api.invalid" }, behind(proxy));
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(error).toMatchObject({ attempts: 1, cause: { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" } });
    expect(error.message).toMatch(/through the proxy https:.*its certificate is not trusted/);
    expect(proxy.requests).toHaveLength(0);
  });
});

describe("a call that ends while its connection is made", () => {
  it.each(TARGETS)("leaves no CONNECT behind (%s)", async (url) => {
    const proxy = await play(stall);
    const transport = transportTo({ url }, behind(proxy));
    const controller = new AbortController();
    const failed = failureOf(transport.call({ operation: "create_session", signal: controller.signal }));
    // undici is being loaded, and the connection to the proxy does not stand before that.
    controller.abort();
    await failed;
    await delay(200);
    expect(connectsOf(proxy)).toBe(0);
  });

  it("ends the tunnel that the proxy was asked for", async () => {
    const server = await startServer({ script: [answer(200)], tls: {} });
    const port = Number(new URL(server.url).port);
    const proxy = await play(on({ method: "CONNECT" }, after(60_000, tunnel(port)), tunnel(port)));
    const transport = transportTo({ url: "https://behind-proxy.test" }, behind(proxy, { ca: server.ca }));
    const controller = new AbortController();
    const failed = failureOf(transport.call({ operation: "create_session", signal: controller.signal }));
    await eventually(() => connectsOf(proxy)).toBe(1);
    controller.abort();
    await failed;
    // At once, and not only when the proxy answers.
    await eventually(() => proxy.open.size).toBe(0);
    expect(server.requests).toHaveLength(0);
    // The next call makes a connection of its own.
    expect((await transport.call({ operation: "get_info" })).status).toBe(200);
  });
});

describe("a tunnel", () => {
  it.each([
    ["http", false],
    ["https", true],
  ])("to an %s server carries requests one after the other", async (scheme, isSecure) => {
    const server = await startServer({ script: [answer(200, { ok: 1 })], ...(isSecure ? { tls: {} } : {}) });
    const proxy = await play(on({ method: "CONNECT" }, tunnel(Number(new URL(server.url).port))));
    const url = `${scheme}://behind-proxy.test`;
    const transport = transportTo({ url }, behind(proxy, isSecure ? { ca: server.ca } : {}));
    for (const _ of [1, 2, 3]) {
      expect(text((await transport.call({ operation: "get_info" })).body)).toBe('{"ok":1}');
      // Else undici opens a second connection while it readies the one that just came free.
      await delay(20);
    }
    expect(connectsOf(proxy)).toBe(1);
    const [head] = proxy.requests;
    expect(head).toMatchObject({
      path: `behind-proxy.test:${isSecure ? 443 : 80}`,
      headers: { "proxy-authorization": `Basic ${btoa("user:canary-password")}` },
    });
    expect(server.header("proxy-authorization")).toEqual([undefined, undefined, undefined]);
  });

  it("is taken with any 2xx, also after a 1xx", async () => {
    const server = await play(answer(200, { ok: 1 }));
    const port = Number(new URL(server.url).port);
    const proxy = await play(inTurn(raw("HTTP/1.1 103 Early Hints\r\n\r\n"), tunnel(port)));
    const transport = transportTo({ url: "http://behind-proxy.test" }, behind(proxy));
    expect((await transport.call({ operation: "get_info" })).attempts).toBe(1);
  });

  it("speaks HTTP/2 where both want it", async () => {
    const server = await startServer({ script: [answer(200, { ok: 1 })], tls: {}, http2: true });
    const proxy = await play(tunnel(Number(new URL(server.url).port)));
    const options = behind(proxy, { ca: server.ca, http2: true });
    const transport = transportTo({ url: "https://behind-proxy.test" }, options);
    expect(text((await transport.call({ operation: "get_info" })).body)).toBe('{"ok":1}');
  });

  it("whose service breaks the first request off is no stale connection", async () => {
    const server = await play(hangUp);
    const proxy = await play(tunnel(Number(new URL(server.url).port)));
    const options = behind(proxy, { firstContactRetries: 1 });
    const transport = transportTo({ url: "http://behind-proxy.test" }, options);
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(error).toMatchObject({ attempts: 2 });
    expect(server.requests).toHaveLength(2);
  });
});
