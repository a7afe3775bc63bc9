import { getEventListeners } from "node:events";
import { TinkexError } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { fastClock } from "./testing/fast-clock.js";
import {
  answer,
  cutShort,
  hangUp,
  inTurn,
  type Move,
  raw,
  reset,
  type SeenRequest,
} from "./testing/hostile-server.js";
import { seededRandom } from "./testing/seeded-random.js";
import { eventually, json, play, text, transportTo } from "./testing/test-transport.js";

/** `TINKEX_CHAOS_CALLS=10000` runs the long campaign; the short one is part of every test run. */
const calls = Number(process.env.TINKEX_CHAOS_CALLS ?? 1_500);
const seed = Number(process.env.TINKEX_CHAOS_SEED ?? 20_260_801);

/** Does the work of a request: answers with the number it carries. */
const serve: Move = (socket, request) =>
  answer(200, { echo: request.body.byteLength > 0 ? numberOf(request) : null })(socket, request);

const after =
  (ms: number, move: Move): Move =>
  (socket, request) =>
    void setTimeout(() => socket.destroyed || move(socket, request), ms);

/** Everything that goes wrong on the way, before, during or after the work. */
const FAULTS: readonly Move[] = [
  reset,
  hangUp,
  after(5, reset),
  cutShort(100, "abc", reset),
  cutShort(100, "abc", hangUp),
  raw("HTTP/1.1 banana\r\n\r\n"),
  raw("\u0000\u0001garbage\r\n\r\n"),
  answer(500),
  answer(503, "<html>gateway</html>"),
  answer(429, {}, { "retry-after": "1" }),
  answer(408),
  answer(400, ""),
  inTurn(serve, (socket) => void setTimeout(() => socket.resetAndDestroy(), 1)),
  inTurn(serve, (socket) => socket.end()),
  after(20, serve),
];

const OPERATIONS = [
  "optim_step",
  "asample",
  "create_session",
  "get_info",
  "retrieve_future",
  "forward_backward",
];

function numberOf(request: SeenRequest): number {
  const body: unknown = JSON.parse(request.body.toString());
  return typeof body === "object" && body !== null && "n" in body && typeof body.n === "number" ? body.n : -1;
}

describe("a campaign of faults", () => {
  it(`${calls} calls through 20 % faults: all settle, none is lost, mixed up or sent under two keys`, async () => {
    const random = seededRandom(seed);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const server = await play((socket, request) => (random() < 0.2 ? pick(FAULTS) : serve)(socket, request));
    const transport = transportTo(server, { clock: fastClock(200), random });
    const before = process.memoryUsage().rss;
    const longLived = new AbortController();
    let succeeded = 0;
    let aborted = 0;
    let failed = 0;

    const one = async (n: number): Promise<void> => {
      const own = new AbortController();
      const impatient = random() < 0.05;
      if (impatient) setTimeout(() => own.abort("no longer wanted"), random() * 10);
      const signal = impatient ? own.signal : longLived.signal;
      try {
        const response = await transport.call({ operation: pick(OPERATIONS), body: json({ n }), signal });
        expect(JSON.parse(text(response.body))).toEqual({ echo: n });
        succeeded += 1;
      } catch (error) {
        if (!TinkexError.isInstance(error)) throw error;
        if (error.code === "aborted") aborted += 1;
        else failed += 1;
      }
    };
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < calls) {
        next += 1;
        await one(next);
      }
    };
    await Promise.all(Array.from({ length: 40 }, worker));

    expect(succeeded + aborted + failed).toBe(calls);
    // Polls alone are not repeated here, and they are a sixth of the calls.
    expect(failed).toBeLessThan(calls * 0.1);
    const keys = new Map<number, Set<string | undefined>>();
    for (const request of server.requests) {
      const n = numberOf(request);
      keys.set(n, (keys.get(n) ?? new Set()).add(request.headers["x-idempotency-key"]));
    }
    expect([...keys.values()].every((set) => set.size === 1)).toBe(true);
    expect(new Set([...keys.values()].flatMap((set) => [...set])).size).toBe(keys.size);

    expect(getEventListeners(longLived.signal, "abort")).toHaveLength(0);
    await transport.close();
    await eventually(() => server.sockets.size).toBe(0);
    const grownMb = (process.memoryUsage().rss - before) / 2 ** 20;
    console.log(
      `seed ${seed}: ${succeeded} succeeded, ${aborted} aborted, ${failed} failed, ${server.requests.length} requests, resident memory grew ${grownMb.toFixed(1)} MB`,
    );
  }, 120_000);
});
