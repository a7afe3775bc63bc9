import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { silentLogger, TinkexError } from "@tinkex/base";
import { after, answer, type Move, on, stall } from "@tinkex-tooling/hostile-server";
import { Client } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, failureOf, json, play, startServer, transportTo } from "../testing/test-transport.js";
import type { TinkexTransport } from "../tinkex-transport.js";

// nodejs/undici#5845: undici connects anew for a request that was aborted, and keeps that connection; its pool completes connections
// that nobody waits for any more, and keeps a client for each request there ever was at a time.

/** The short form is part of every test run; TINKEX_BURST_CALLS=20000 makes the long one. */
const CALLS = Number(process.env.TINKEX_BURST_CALLS ?? 800);
const BURST = 200;

/** Sockets that this process has begun and not yet closed, idle ones included. */
const sockets = new Set<Socket>();
let mostSockets = 0;
const note = (message: unknown): void => {
  if (typeof message !== "object" || message === null || !("socket" in message)) return;
  const { socket } = message;
  if (!(socket instanceof Socket)) return;
  sockets.add(socket);
  mostSockets = Math.max(mostSockets, openSockets());
  socket.once("close", () => sockets.delete(socket));
};
beforeAll(() => subscribe("net.client.socket", note));
afterAll(() => void unsubscribe("net.client.socket", note));

function openSockets(): number {
  return Array.from(sockets).filter(({ destroyed }) => !destroyed).length;
}

function clients(): number {
  return queryObjects(Client, { format: "count" });
}

function abortedBurst(
  transport: TinkexTransport,
  operation: "asample" | "retrieve_future",
): Promise<unknown[]> {
  const calls = Array.from({ length: BURST }, () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 5);
    // Not witnessed as other errors are: that would take longer than the calls.
    return transport.call({ operation, body: json({}), signal: controller.signal }).then(
      () => "answered",
      (error: unknown) => (TinkexError.isInstance(error) ? error.code : error),
    );
  });
  return Promise.all(calls);
}

describe(`${CALLS} calls, ${BURST} at a time, each aborted after 5 ms`, () => {
  it.each<[string, "asample" | "retrieve_future", Move]>([
    ["samples that are taken slowly", "asample", after(50, answer(200))],
    ["polls that are not answered", "retrieve_future", stall],
  ])("leave neither sockets nor clients: %s", { timeout: 120_000 }, async (_, operation, move) => {
    const server = await startServer({ script: [move], tellsRequests: false });
    const transport = transportTo(server, { hooks: {}, logger: silentLogger });
    const clientsBefore = clients();
    mostSockets = 0;
    for (let made = 0; made < CALLS; made += BURST) {
      const outcomes = await abortedBurst(transport, operation);
      expect(new Set(outcomes)).toEqual(new Set(["aborted"]));
      // undici hears of a socket's end once the loop comes round.
      await delay(1);
    }
    expect(mostSockets).toBeGreaterThan(0);
    expect(mostSockets).toBeLessThanOrEqual(1.2 * BURST);
    await eventually(() => openSockets()).toBe(0);
    await eventually(() => server.open.size).toBe(0);
    await eventually(() => clients()).toBeLessThanOrEqual(clientsBefore);
  });
});

describe("a call that is aborted while its connection is made", () => {
  it("ends the handshake at once, though other calls go on", async () => {
    const server = await startServer({ script: [stall], tls: { delayMs: Number.POSITIVE_INFINITY } });
    const transport = transportTo(server, { ca: server.ca, connectTimeoutMs: 60_000 });
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [first, second].map(({ signal }) =>
      failureOf(transport.call({ operation: "retrieve_future", body: json({}), signal })),
    );
    await eventually(() => server.open.size).toBe(2);
    first.abort();
    expect(await calls[0]).toMatchObject({ code: "aborted" });
    await eventually(() => server.open.size).toBe(1);
    second.abort();
    await calls[1];
    await eventually(() => server.open.size).toBe(0);
  });

  it("ends a tunnel that a proxy does not answer for, though other calls go on", async () => {
    const proxy = await play(on({ method: "CONNECT" }, stall));
    const options = { proxy: { httpProxy: proxy.url }, connectTimeoutMs: 60_000 };
    const transport = transportTo({ url: "http://api.invalid" }, options);
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [first, second].map(({ signal }) =>
      failureOf(transport.call({ operation: "retrieve_future", body: json({}), signal })),
    );
    await eventually(() => proxy.requests.length).toBe(2);
    first.abort();
    await calls[0];
    await eventually(() => proxy.open.size).toBe(1);
    second.abort();
    await calls[1];
    await eventually(() => proxy.open.size).toBe(0);
    expect(proxy.requests).toHaveLength(2);
  });
});
