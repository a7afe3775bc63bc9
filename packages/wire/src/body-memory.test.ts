import { describe, expect, it } from "vitest";
import { BodyMemory } from "./body-memory.js";

const KIB = 1024;

describe("BodyMemory", () => {
  it("gives the memory of a delivered body to the next one of a like size", () => {
    const memory = new BodyMemory();
    const first = memory.take(100 * KIB);
    memory.giveBack(first.subarray(10));
    const second = memory.take(90 * KIB);
    expect(second.buffer).toBe(first.buffer);
    expect(second).toHaveLength(90 * KIB);
  });

  it("never has two bodies in one place", () => {
    const memory = new BodyMemory();
    const first = memory.take(100 * KIB);
    expect(memory.take(100 * KIB).buffer).not.toBe(first.buffer);
    memory.giveBack(first);
    memory.giveBack(first);
    const [second, third] = [memory.take(100 * KIB), memory.take(100 * KIB)];
    expect(second.buffer).toBe(first.buffer);
    expect(third.buffer).not.toBe(first.buffer);
  });

  it("leaves memory alone that it did not give", () => {
    const memory = new BodyMemory();
    const foreign = new Uint8Array(100 * KIB);
    memory.giveBack(foreign);
    expect(memory.take(100 * KIB).buffer).not.toBe(foreign.buffer);
  });

  it("takes no memory that is too small, or more than twice too large", () => {
    const memory = new BodyMemory();
    const first = memory.take(200 * KIB);
    memory.giveBack(first);
    expect(memory.take(201 * KIB).buffer).not.toBe(first.buffer);
    expect(memory.take(99 * KIB).buffer).not.toBe(first.buffer);
    expect(memory.take(100 * KIB).buffer).toBe(first.buffer);
  });

  it("keeps no more than it may, and lets the oldest go", () => {
    const memory = new BodyMemory(250 * KIB);
    const bodies = [memory.take(100 * KIB), memory.take(100 * KIB), memory.take(100 * KIB)];
    for (const body of bodies) memory.giveBack(body);
    const again = [memory.take(100 * KIB), memory.take(100 * KIB), memory.take(100 * KIB)];
    expect(again.map(({ buffer }) => bodies.findIndex((body) => body.buffer === buffer))).toEqual([2, 1, -1]);
    const large = memory.take(300 * KIB);
    memory.giveBack(large);
    expect(memory.take(300 * KIB).buffer).not.toBe(large.buffer);
  });

  it("does not keep small bodies", () => {
    const memory = new BodyMemory();
    const small = memory.take(KIB);
    memory.giveBack(small);
    expect(memory.take(KIB).buffer).not.toBe(small.buffer);
  });
});
