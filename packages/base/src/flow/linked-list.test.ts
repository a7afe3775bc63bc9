import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { LinkedList } from "./linked-list.js";
import { WaitQueue } from "./wait-queue.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

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

/** Makes each use of an object's own properties count. */
function countUses(counted: object, used: () => void): void {
  for (const [name, stored] of Object.entries(counted)) {
    let value: unknown = stored;
    Object.defineProperty(counted, name, {
      get: () => {
        used();
        return value;
      },
      set: (next: unknown) => {
        used();
        value = next;
      },
    });
  }
}

/** Counts how often the places of a list are read and written for each value, while all leave from the front or one by one. */
function usesPerLeave(count: number, leave: "from the front" | "in their order" | "backwards"): number {
  let uses = 0;
  const list = new LinkedList<number>();
  const entries = Array.from({ length: count }, (_, value) => list.add(value));
  for (const entry of entries) {
    countUses(entry, () => {
      uses += 1;
    });
  }
  if (leave === "from the front") while (list.length > 0) list.shift();
  else for (const entry of leave === "backwards" ? entries.reverse() : entries) list.remove(entry);
  expect(list.length).toBe(0);
  return uses / count;
}

it.each(["from the front", "in their order", "backwards"] as const)(
  "values that leave %s touch their neighbours alone, however many there are",
  (leave) => {
    const [few, many] = [usesPerLeave(10, leave), usesPerLeave(1_000, leave)];
    // An array would touch no entry, and a walk through the list all of them.
    expect(few).toBeGreaterThan(1);
    expect(many).toBeLessThan(few + 2);
  },
);

it("those who line up are admitted in their order, without those who left", () => {
  const queue = new WaitQueue<number, void>();
  const admitted: number[] = [];
  const leaves = Array.from({ length: 1_000 }, (_, note) =>
    queue.enqueue({ note, admit: () => void admitted.push(note), refuse: () => {} }),
  );
  for (const [note, leave] of leaves.entries()) if (note % 2 === 0) leave();
  while (queue.length > 0) queue.next()?.admit();
  expect(admitted).toEqual(Array.from({ length: 500 }, (_, index) => 2 * index + 1));
});

it("lets go of the neighbours of an entry that has left and is still kept", async () => {
  const list = new LinkedList<object>();
  const kept = list.add({});
  const addBeside = (): WeakRef<object> => {
    const value = { text: "a request" };
    const entry = list.add(value);
    list.remove(kept);
    list.remove(entry);
    return new WeakRef(value);
  };
  const held = addBeside();
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(held.deref()).toBeUndefined();
  list.remove(kept);
});
