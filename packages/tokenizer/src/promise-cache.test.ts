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
