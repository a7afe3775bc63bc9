import { describe, expect, it } from "vitest";
import { ClosedError } from "../errors/api-errors.js";
import { deferred } from "../promises/deferred.js";
import { settle } from "../testing/fake-clock.js";
import { Mutex } from "./mutex.js";

const never = new AbortController().signal;

describe("Mutex", () => {
  it("runs one body at a time, in the order of the calls", async () => {
    const mutex = new Mutex();
    const log: string[] = [];
    const gates = [deferred<void>(), deferred<void>(), deferred<void>()];
    const turns = gates.map((gate, index) =>
      mutex.runExclusive(never, async () => {
        log.push(`start ${index}`);
        await gate.promise;
        log.push(`end ${index}`);
      }),
    );
    await settle();
    expect(log).toEqual(["start 0"]);
    for (const gate of [...gates].reverse()) gate.resolve();
    await Promise.all(turns);
    expect(log).toEqual(["start 0", "end 0", "start 1", "end 1", "start 2", "end 2"]);
  });

  it("goes on after a body that throws", async () => {
    const mutex = new Mutex();
    const failing = mutex.runExclusive(never, async () => {
      throw new Error("first");
    });
    const next = mutex.runExclusive(never, async () => "second");
    await expect(failing).rejects.toThrow("first");
    await expect(next).resolves.toBe("second");
  });

  it("clients 21: lets a waiting turn be given up at once, without a gap behind it", async () => {
    const mutex = new Mutex();
    const gate = deferred<void>();
    const first = mutex.runExclusive(never, () => gate.promise);
    const controller = new AbortController();
    const second = mutex.runExclusive(controller.signal, async () => "never");
    const third = mutex.runExclusive(never, async () => "third");
    const reason = new Error("changed my mind");
    controller.abort(reason);
    await expect(second).rejects.toBe(reason);
    gate.resolve();
    await first;
    await expect(third).resolves.toBe("third");
  });

  it("clients 21: does not run a body that is given up between its turn and its start", async () => {
    const mutex = new Mutex();
    const gate = deferred<void>();
    const controller = new AbortController();
    const reason = new Error("changed my mind");
    const begun = deferred<void>();
    const first = mutex.runExclusive(never, () => {
      begun.resolve();
      return gate.promise;
    });
    const ran: string[] = [];
    const second = mutex.runExclusive(controller.signal, async () => ran.push("second"));
    const third = mutex.runExclusive(never, async () => ran.push("third"));
    await begun.promise;
    // Right behind the end of the first body, which gives the second its turn.
    gate.promise.then(() => controller.abort(reason));
    gate.resolve();
    await first;
    await expect(second).rejects.toBe(reason);
    await third;
    expect(ran).toEqual(["third"]);
  });

  it("does not interrupt a body that runs", async () => {
    const mutex = new Mutex();
    const gate = deferred<string>();
    const controller = new AbortController();
    const turn = mutex.runExclusive(controller.signal, () => gate.promise);
    await settle();
    controller.abort();
    gate.resolve("sent");
    await expect(turn).resolves.toBe("sent");
  });

  it("rejects waiting and later turns once it is broken, with the first error", async () => {
    const mutex = new Mutex();
    const gate = deferred<void>();
    const running = mutex.runExclusive(never, () => gate.promise);
    const waiting = mutex.runExclusive(never, async () => {});
    const error = new ClosedError("broken");
    mutex.break(error);
    mutex.break(new ClosedError("again"));
    await expect(waiting).rejects.toBe(error);
    await expect(mutex.runExclusive(never, async () => {})).rejects.toBe(error);
    gate.resolve();
    await running;
  });
});
