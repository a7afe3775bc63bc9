import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { isOver } from "../testing/is-over.js";
import { Semaphore } from "./semaphore.js";

const never = new AbortController().signal;

describe("Semaphore", () => {
  it("hands a permit that is given back to the next in line, once", async () => {
    const semaphore = new Semaphore(2);
    const first = await semaphore.acquire(never);
    await semaphore.acquire(never);
    const third = semaphore.acquire(never);
    const fourth = semaphore.acquire(never);
    expect(await isOver(third)).toBe(false);
    first();
    first();
    expect(await isOver(third)).toBe(true);
    expect(await isOver(fourth)).toBe(false);
  });

  it("frees the place of a wait that is aborted", async () => {
    const semaphore = new Semaphore(1);
    const release = await semaphore.acquire(never);
    const controller = new AbortController();
    const aborted = semaphore.acquire(controller.signal);
    const next = semaphore.acquire(never);
    controller.abort(new Error("gone"));
    await expect(aborted).rejects.toThrow("gone");
    release();
    expect(await isOver(next)).toBe(true);
  });

  it("gives no free permit past someone who waits", async () => {
    const semaphore = new Semaphore(1);
    const release = semaphore.tryAcquire();
    const waiting = semaphore.acquire(never);
    expect(semaphore.tryAcquire()).toBeUndefined();
    release?.();
    expect(semaphore.tryAcquire()).toBeUndefined();
    (await waiting)();
    expect(semaphore.tryAcquire()).toBeTypeOf("function");
  });

  it("admits those who lined up without a promise in the same order, and forgets those who left", () => {
    const semaphore = new Semaphore(1);
    const release = semaphore.tryAcquire();
    const admitted: string[] = [];
    const leave = semaphore.enqueue(() => admitted.push("left"));
    semaphore.enqueue((permit) => {
      admitted.push("first");
      permit();
    });
    semaphore.enqueue(() => admitted.push("second"));
    leave();
    release?.();
    leave();
    expect(admitted).toEqual(["first", "second"]);
  });

  it("takes several permits at a time, and lets nobody in until the balance is positive again", async () => {
    const semaphore = new Semaphore(3);
    const two = semaphore.tryAcquire(2);
    const five = await semaphore.acquire(never, 5);
    const next = semaphore.acquire(never);
    two?.();
    expect(await isOver(next)).toBe(false);
    five();
    expect(await isOver(next)).toBe(true);
  });

  it("ends every wait with the error it is dismissed with, and goes on for those who come after", async () => {
    const semaphore = new Semaphore(1);
    const release = await semaphore.acquire(never);
    const waiting = [semaphore.acquire(never), semaphore.acquire(never)];
    semaphore.dismiss(new Error("closed"));
    for (const wait of waiting) await expect(wait).rejects.toThrow("closed");
    release();
    expect(semaphore.tryAcquire()).toBeTypeOf("function");
  });

  it("lets go of the signal of every wait, however it ends", async () => {
    const semaphore = new Semaphore(1);
    const release = semaphore.tryAcquire();
    const { signal } = new AbortController();
    const admitted = semaphore.acquire(signal);
    release?.();
    await admitted;
    const dismissed = semaphore.acquire(signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    semaphore.dismiss(new Error("closed"));
    await expect(dismissed).rejects.toThrow("closed");
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("bounds nothing where there is no end of permits", () => {
    const semaphore = new Semaphore(Number.POSITIVE_INFINITY);
    const releases = Array.from({ length: 1_000 }, () => semaphore.tryAcquire());
    for (const release of releases) release?.();
    expect(semaphore.tryAcquire()).toBeTypeOf("function");
  });
});
