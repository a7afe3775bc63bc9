import { describe, expect, it } from "vitest";
import { LinkedList } from "./linked-list.js";
import { WaitQueue } from "./wait-queue.js";

describe("LinkedList", () => {
  it("gives values in their order, whatever joins and leaves in between", () => {
    const list = new LinkedList<number>();
    const inOrder = (value: number) => list.add(value, (other) => other <= value);
    const [five, , nine] = [5, 7, 9].map(inOrder);
    inOrder(6);
    inOrder(1);
    for (const entry of [five, nine, five]) if (entry !== undefined) list.remove(entry);
    expect(list.length).toBe(3);
    expect(list.shift()).toBe(1);
    inOrder(8);
    expect(list.clear()).toEqual([6, 7, 8]);
    expect([list.length, list.shift()]).toEqual([0, undefined]);
    list.add(2);
    expect(list.shift()).toBe(2);
  });

  it("keeps what was taken out with all the others out", () => {
    const list = new LinkedList<string>();
    const entry = list.add("a");
    list.clear();
    list.add("b");
    list.remove(entry);
    expect(list.length).toBe(1);
    expect(list.clear()).toEqual(["b"]);
  });
});

/** Time in milliseconds that `count` who wait take to be let in, or to give up one after the other; the best of three. */
function leaveTime(count: number, leave: "in" | "out"): number {
  const times = [1, 2, 3].map(() => {
    const queue = new WaitQueue<number, void>();
    const waiter = { note: 1, admit: () => {}, refuse: () => {} };
    const leaves = Array.from({ length: count }, () => queue.enqueue(waiter));
    const start = performance.now();
    if (leave === "in") while (queue.length > 0) queue.next()?.admit();
    else for (const each of leaves) each();
    expect(queue.length).toBe(0);
    return performance.now() - start;
  });
  return Math.min(...times);
}

it.each(["in", "out"] as const)("many who wait go %s in a time that grows as their number does", (leave) => {
  const few = leaveTime(5_000, leave);
  // Eight times as many in an array took some hundred times as long.
  expect(leaveTime(40_000, leave)).toBeLessThan(40 * few);
});
