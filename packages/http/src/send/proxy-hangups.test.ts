import { setTimeout as delay } from "node:timers/promises";
import { inspect, isDeepStrictEqual } from "node:util";
import { ConnectionError, type FailedTry, systemClock } from "@tinkex/base";
import {
  after,
  answer,
  cutAt,
  drip,
  type HostileServer,
  hangUp,
  inTurn,
  on,
  raw,
  reset,
  stall,
  tunnel,
} from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import {
  CONNECT_FAULTS,
  type ProxyFault,
  SOCKS_CONNECT_FAULTS,
  SOCKS_GREETING_FAULTS,
  tunnelFaults,
} from "../testing/proxy-faults.js";
import { eventually, failureOf, play, startServer, text, transportTo } from "../testing/test-transport.js";
import type { TransportOptions } from "../transport-options.js";

// nodejs/undici#3897: undici asks again, at once and for ever, where a proxy closes the connection before it has answered
// CONNECT. nodejs/undici#5441 mends it; no release of major 7 has it.

const TARGETS = ["http://api.invalid", "https://api.invalid"];

function addressOf({ url }: HostileServer, login: string): string {
  return url.replace("//", `//${login}`);
}

function behind(proxy: HostileServer, options: TransportOptions = {}): TransportOptions {
  const address = addressOf(proxy, "user:canary-password@");
  return { proxy: { httpProxy: address, httpsProxy: address }, ...options };
}

function connectsOf(proxy: HostileServer): number {
  return proxy.requests.filter(({ method }) => method === "CONNECT").length;
}

type Expected = readonly [way: string, told: RegExp, start: () => Promise<HostileServer>];

/**
 * Has each way met by a call that is tried three times, all at one time; gives what was not as it must be, by way. One connection
 * a try, ordinary back-off, an error that names the proxy and not its password, nothing sent after it, no socket left.
 */
async function findings(
  url: string,
  expected: readonly Expected[],
  options: TransportOptions = {},
  mayArrive = false,
): Promise<Record<string, unknown>> {
  const found = await Promise.all(
    expected.map(async ([way, told, start]) => {
      const proxy = await start();
      const transport = transportTo({ url }, behind(proxy, { firstContactRetries: 2, ...options }));
      const error = await failureOf(transport.call({ operation: "create_session" }));
      await delay(100);
      // A proxy that stands still half closed is left by its own side.
      await eventually(() => proxy.open.size).toBe(0);
      const tries = "earlierTries" in error ? (error.earlierTries as readonly FailedTry[]) : [];
      const seen = {
        isConnectionError: error instanceof ConnectionError && error.attempts === 3 && error.retryable,
        connections: proxy.connections,
        pauses: transport.clock.sleeps.join(),
        isTold: told.test(error.message) || error.message,
        isProxyNamed:
          error.message.includes(`${url} through the proxy ${addressOf(proxy, "")} `) || error.message,
        hasPassword: inspect(error, { depth: 10, showHidden: true }).includes("canary-password"),
        // A failed try says that the service may have done the work only if it was reached.
        arrivals: tries.filter(({ mayHaveArrived }) => mayHaveArrived && !mayArrive).length,
      };
      return isDeepStrictEqual(seen, ALL_WELL) ? [] : [[way, seen]];
    }),
  );
  return Object.fromEntries(found.flat());
}

const ALL_WELL = {
  isConnectionError: true,
  connections: 3,
  pauses: "500,1000",
  isTold: true,
  isProxyNamed: true,
  hasPassword: false,
  arrivals: 0,
};

const overHttp = ([way, move, told]: ProxyFault): Expected => [way, told, () => play(move)];

describe.each(TARGETS)("to %s, a proxy that breaks off", (url) => {
  it("about CONNECT, in whatever way, costs one CONNECT a try and is named without its password", async () => {
    expect(await findings(url, CONNECT_FAULTS.map(overHttp))).toEqual({});
  });

  it("does so as well where it is reached over TLS", async () => {
    const { ca } = await startServer({ script: [stall], tls: {} });
    const some = CONNECT_FAULTS.filter((_, i) => i % 8 === 0).map(
      ([way, move, told]): Expected => [way, told, () => startServer({ script: [move], tls: {} })],
    );
    expect(await findings(url, some, { ca })).toEqual({});
  });

  it("does so as well where it speaks SOCKS5", async () => {
    const greetings = SOCKS_GREETING_FAULTS.map(
      ([way, socks, told]): Expected => [way, told, () => startServer({ script: [stall], socks })],
    );
    const connects = SOCKS_CONNECT_FAULTS.map(
      ([way, move, told]): Expected => [
        `asked: ${way}`,
        told,
        () => startServer({ script: [move], socks: {} }),
      ],
    );
    expect(await findings(url, [...greetings, ...connects])).toEqual({});
  });
});

describe("a proxy that breaks off a tunnel that stood", () => {
  it("to an http server: before, within and after the status line of the answer, within its head and body", async () => {
    const server = await play(answer(200, { session_id: "s".repeat(100) }));
    const counts = [0, 1, 8, 9, 12, 15, 20, 40, 90, 120];
    const faults = tunnelFaults(Number(new URL(server.url).port), counts);
    const socks = faults.map(
      ([way, move, told]): Expected => [
        `socks: ${way}`,
        told,
        () => startServer({ script: [move], socks: {} }),
      ],
    );
    const all = [...faults.map(overHttp), ...socks];
    expect(await findings("http://behind-proxy.test", all, {}, true)).toEqual({});
  });

  it("to an https server: within the handshake", async () => {
    const server = await startServer({ script: [answer(200)], tls: {} });
    const faults = tunnelFaults(Number(new URL(server.url).port), [0, 1, 5, 60, 200, 500]);
    expect(await findings("https://behind-proxy.test", faults.map(overHttp), { ca: server.ca })).toEqual({});
  });

  it("to an https server: within the answer", async () => {
    const ways = [hangUp, reset, cutAt(9, answer(200), reset), cutAt(40, answer(200), hangUp)];
    const servers = await Promise.all(ways.map((move) => startServer({ script: [move], tls: {} })));
    const expected = servers.map(
      ({ url }, i): Expected => [`${i}`, /failed \(\w+\)/, () => play(tunnel(Number(new URL(url).port)))],
    );
    const [{ ca } = { ca: "" }] = servers;
    expect(await findings("https://behind-proxy.test", expected, { ca }, true)).toEqual({});
  });
});

describe.each(TARGETS)("to %s, a proxy that", (url) => {
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

  // nodejs/undici#4983, openclaw/proxyline#19: the limit of connecting did not hold for a proxy that says nothing.
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
    const transport = transportTo(
      { url: "http://api.invalid" },
      { proxy: { httpProxy: proxy }, connectTimeoutMs: 200, firstContactRetries: 0 },
    );
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain(`through the proxy ${proxy} `);
    // The system's own limit, of minutes, is ETIMEDOUT.
    expect(error).toMatchObject({
      attempts: 1,
      cause: { code: expect.stringMatching(/^(UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|E(NET|HOST)UNREACH)$/) },
    });
  });
});

describe("a proxy that refuses the login", () => {
  it.each([
    ["in the answer to CONNECT", "http://api.invalid", { script: [answer(407)] }],
    ["in the answer to CONNECT", "https://api.invalid", { script: [answer(407)] }],
    [
      "of SOCKS5, as one it knows no way for",
      "http://api.invalid",
      { script: [stall], socks: { greeting: raw("\u0005\u00ff") } },
    ],
    [
      "of SOCKS5, as a wrong one",
      "https://api.invalid",
      { script: [stall], socks: { login: raw("\u0001\u0001") } },
    ],
  ])("%s is asked once (%s)", async (_, url, server) => {
    const proxy = await startServer(server);
    const error = await failureOf(transportTo({ url }, behind(proxy)).call({ operation: "create_session" }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 1 });
    expect(error.message).toMatch(
      /^could not connect .*\(the proxy (answered 407|refused the login)\).*did not take the user name and password/,
    );
    expect(proxy.connections).toBe(1);
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

  it.each([
    ["http", "socks5", false],
    ["https", "socks5", true],
    ["https", "socks5h", true],
  ])(
    "to an %s server leads through a proxy of %s, which looks its name up",
    async (scheme, socks, isSecure) => {
      const server = await startServer({
        script: [answer(200, { ok: 1 })],
        ...(isSecure ? { tls: {} } : {}),
      });
      const script = [tunnel(Number(new URL(server.url).port))];
      const proxy = await startServer({ script, socks: {} });
      const address = addressOf(proxy, "user:canary%20password@").replace("socks5", socks);
      const settings = { httpProxy: address, httpsProxy: address };
      const transport = transportTo(
        { url: `${scheme}://behind-proxy.test` },
        { proxy: settings, ...(isSecure ? { ca: server.ca } : {}) },
      );
      for (const _ of [1, 2]) {
        expect(text((await transport.call({ operation: "get_info" })).body)).toBe('{"ok":1}');
        await delay(20);
      }
      expect(proxy.requests).toHaveLength(1);
      expect(proxy.requests[0]).toMatchObject({
        path: `behind-proxy.test:${isSecure ? 443 : 80}`,
        headers: { "proxy-authorization": "user:canary password" },
      });
    },
  );

  it.each([
    ["http://192.0.2.7:8000", "192.0.2.7:8000"],
    ["http://[2001:db8::7]:8000", "[20010db8000000000000000000000007]:8000"],
    ["http://[::ffff:192.0.2.7]", "[00000000000000000000ffffc0000207]:80"],
  ])("of SOCKS5 to %s is asked for by address", async (url, asked) => {
    const server = await play(answer(200, { ok: 1 }));
    const proxy = await startServer({ script: [tunnel(Number(new URL(server.url).port))], socks: {} });
    const transport = transportTo({ url }, { proxy: { httpProxy: proxy.url } });
    expect(text((await transport.call({ operation: "get_info" })).body)).toBe('{"ok":1}');
    expect(proxy.requests[0]).toMatchObject({ path: asked, headers: {} });
  });

  it.each(TARGETS)(
    "of SOCKS5 that is never answered for is given up on by connectTimeoutMs (%s)",
    async (url) => {
      const proxies = await Promise.all([
        startServer({ script: [stall], socks: {} }),
        startServer({ script: [stall], socks: { greeting: stall } }),
        startServer({ script: [stall], socks: { login: stall } }),
      ]);
      for (const proxy of proxies) {
        const options = { connectTimeoutMs: 150, firstContactRetries: 0 };
        const transport = transportTo({ url }, behind(proxy, options));
        const error = await failureOf(transport.call({ operation: "create_session" }));
        expect(error).toMatchObject({ attempts: 1, cause: { code: "UND_ERR_CONNECT_TIMEOUT" } });
        await eventually(() => proxy.open.size).toBe(0);
      }
    },
  );

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
