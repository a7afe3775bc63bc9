import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type AddressInfo, createServer, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { silentLogger, TinkexError } from "@tinkex/base";
import { after, answer, type Move, on, stall } from "@tinkex-tooling/hostile-server";
import { Client } from "undici";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { multipartBody } from "../body/multipart-body.js";
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

  // undici begins the connection for a streamed body a moment after it was asked.
  it("ends it at once also for a body that is streamed", async () => {
    const server = await startServer({ script: [stall], tls: { delayMs: Number.POSITIVE_INFINITY } });
    const transport = transportTo(server, { ca: server.ca, connectTimeoutMs: 60_000 });
    const controller = new AbortController();
    const body = multipartBody({ files: [{ name: "file", content: new Uint8Array(8) }] });
    const call = failureOf(transport.call({ operation: "optim_step", body, signal: controller.signal }));
    await eventually(() => server.open.size).toBe(1);
    controller.abort();
    expect(await call).toMatchObject({ code: "aborted" });
    await eventually(() => server.open.size).toBe(0);
  });

  // undici makes it by itself, for a request that was given a connection which had just been closed.
  it("ends one that takes the place of a kept one, and closing ends it too", async () => {
    const { url, sockets, connects } = await onceTunnelling();
    for (const end of ["abort", "close"] as const) {
      connects.length = 0;
      const options = { proxy: { httpProxy: url }, connectTimeoutMs: 60_000 };
      const transport = transportTo({ url: "http://api.invalid" }, options);
      await transport.call({ operation: "retrieve_future", body: json({}) });
      // undici gives a connection free as the loop comes round.
      await delay(20);
      for (const socket of sockets) socket.destroy();
      const controller = new AbortController();
      const call = failureOf(
        transport.call({ operation: "retrieve_future", body: json({}), signal: controller.signal }),
      );
      await eventually(() => connects.length).toBe(2);
      if (end === "abort") controller.abort();
      else await transport.close();
      await call;
      await eventually(() => sockets.size).toBe(0);
    }
  });
});

/** A proxy that leads the first connection to a server which answers everything, and keeps silent about the next, in turn. */
async function onceTunnelling(): Promise<{ url: string; sockets: Set<Socket>; connects: string[] }> {
  const sockets = new Set<Socket>();
  const connects: string[] = [];
  const proxy = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
    socket.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      if (!text.startsWith("CONNECT"))
        return void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
      connects.push(text);
      if (connects.length % 2 === 1) socket.write("HTTP/1.1 200 OK\r\n\r\n");
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, sockets, connects };
}
