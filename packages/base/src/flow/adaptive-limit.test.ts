import { setImmediate as settle } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AdaptiveLimit } from "./adaptive-limit.js";
import type { Release } from "./wait-queue.js";

const never = new AbortController().signal;

/** A limit, and the names of those who got in, in order. */
function crowd(range: { least: number; most: number }) {
  const limit = new AdaptiveLimit(range);
  const inside: string[] = [];
  const releases = new Map<string, Release>();
  const come = (name: string, ticket = limit.takeTicket(), signal = never): Promise<void> =>
    limit.enter(ticket, signal).then((release) => {
      inside.push(name);
      releases.set(name, release);
    });
  const go = (name: string): void => releases.get(name)?.();
  return { limit, inside, come, go };
}

describe("AdaptiveLimit", () => {
  it("lets in as many as it may and the others in the order of their turns", async () => {
    const { limit, inside, come, go } = crowd({ least: 1, most: 2 });
    const early = limit.takeTicket();
    for (const name of ["a", "b", "c"]) come(name);
    // Someone who was refused lines up again, and keeps the ticket of the first time.
    come("early", early);
    await settle();
    expect(inside).toEqual(["a", "b"]);
    go("a");
    go("a");
    await settle();
    expect(inside).toEqual(["a", "b", "early"]);
    go("early");
    await settle();
    expect(inside).toEqual(["a", "b", "early", "c"]);
  });

  it("is halved once for all that were refused together, down to the least, and grows by one each success", () => {
    const limit = new AdaptiveLimit({ least: 10, most: 400 });
    for (let i = 0; i < 400; i += 1) limit.shrink(0, 5);
    expect(limit.size).toBe(200);
    limit.shrink(5, 8);
    expect(limit.size).toBe(200);
    for (let atMs = 10; atMs < 100; atMs += 10) limit.shrink(atMs, atMs + 1);
    expect(limit.size).toBe(10);
    limit.grow();
    expect(limit.size).toBe(11);
    for (let i = 0; i < 1_000; i += 1) limit.grow();
    expect(limit.size).toBe(400);
  });

  it("lets nobody in after it shrank until enough have left, and someone at once when it grows", async () => {
    const { limit, inside, come, go } = crowd({ least: 1, most: 4 });
    for (const name of ["a", "b", "c", "d", "e", "f"]) come(name);
    limit.shrink(0, 0);
    await settle();
    expect(limit.size).toBe(2);
    go("a");
    go("b");
    await settle();
    expect(inside).toHaveLength(4);
    go("c");
    await settle();
    expect(inside).toHaveLength(5);
    limit.grow();
    await settle();
    expect(inside).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  it("an abort leaves the line, and one that came before keeps everybody out", async () => {
    const { limit, inside, come, go } = crowd({ least: 1, most: 1 });
    await come("a");
    const controller = new AbortController();
    const gone = come("b", limit.takeTicket(), controller.signal);
    come("c");
    controller.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    await expect(come("d", limit.takeTicket(), controller.signal)).rejects.toThrow("gone");
    go("a");
    await settle();
    expect(inside).toEqual(["a", "c"]);
  });
});
