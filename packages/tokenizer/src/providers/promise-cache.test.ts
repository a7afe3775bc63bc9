import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { PromiseCache } from "./promise-cache.js";

it("loads once for calls at the same time and after", async () => {
  const cache = new PromiseCache<object>(2);
  let loads = 0;
  const load = async () => ({ load: ++loads });
  const [first, second] = await Promise.all([cache.get("a", load), cache.get("a", load)]);
  expect(second).toBe(first);
  expect(await cache.get("a", load)).toBe(first);
  expect(loads).toBe(1);
});

it("tries again after a failure", async () => {
  const cache = new PromiseCache<number>(2);
  await expect(cache.get("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await cache.get("a", async () => 1)).toBe(1);
});

it("forgets what was used least recently", async () => {
  const cache = new PromiseCache<number>(2);
  let loads = 0;
  const load = async () => ++loads;
  await cache.get("a", load);
  await cache.get("b", load);
  await cache.get("a", load);
  await cache.get("c", load); // "b" gives way
  expect(await cache.get("a", load)).toBe(1);
  expect(await cache.get("b", load)).toBe(4);
});

it("stops a load when the last who waits has left, and begins anew for the next", async () => {
  const cache = new PromiseCache<number>(2);
  const signals: AbortSignal[] = [];
  const load = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<number>(() => {});
  };
  const [first, second] = [new AbortController(), new AbortController()];
  cache.get("a", load, first.signal);
  cache.get("a", load, second.signal);
  first.abort();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  second.abort();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(await cache.get("a", async () => 1)).toBe(1);
});

it("keeps what was loaded when everyone has left", async () => {
  const cache = new PromiseCache<number>(2);
  const caller = new AbortController();
  let signal: AbortSignal | undefined;
  await cache.get(
    "a",
    async (given) => {
      signal = given;
      return 1;
    },
    caller.signal,
  );
  caller.abort();
  expect(signal?.aborted).toBe(false);
  expect(await cache.get("a", async () => 2)).toBe(1);
});

it.each([
  ["given", async () => 1],
  ["failed", () => Promise.reject(new Error("no"))],
])(
  "leaves no listener on a caller's signal once the load has %s, and has one meanwhile",
  async (_end, load) => {
    const cache = new PromiseCache<number>(2);
    const { signal } = new AbortController();
    const waiting = Array.from({ length: 20 }, (_, index) => cache.get(`${index % 3}`, load, signal));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await Promise.allSettled(waiting);
    cache.get("0", async () => 1, signal);
    await cache.get("0", async () => 1, signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  },
);
