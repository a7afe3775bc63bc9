import { setImmediate as settle } from "node:timers/promises";
import { type Clock, onAbort } from "@tinkex/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PressureLimits, type PressureRules } from "./pressure-limits.js";

const RULES: PressureRules = {
  most: 400,
  least: 10,
  maxBytes: 1_000_000,
  busyWeight: 20,
  carefulMs: 10_000,
  spreadMs: 250,
};
const never = new AbortController().signal;

/** A clock whose sleepers wake when the test says that it is time. */
function manualClock(): Clock & { advance(ms: number): Promise<void> } {
  let nowMs = 0;
  const sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((wake, reject) => {
        sleepers.push({ atMs: nowMs + ms, wake });
        if (signal !== undefined) onAbort(signal, reject);
      }),
    async advance(ms) {
      nowMs += ms;
      for (const { atMs, wake } of sleepers) if (atMs <= nowMs) wake();
      await settle();
    },
  };
}

/** A service whose answers the test gives; `sent` are the names of what has arrived, in order. */
function busyService(rules: Partial<PressureRules> = {}) {
  const clock = manualClock();
  const limits = new PressureLimits({ ...RULES, ...rules }, clock, () => 0);
  const sent: string[] = [];
  const answers = new Map<string, (pauseMs?: number) => void>();
  const submit = (name: string, byteLength = 1, signal = never): Promise<string> =>
    limits.submit(byteLength, signal, () => {
      sent.push(name);
      return new Promise((resolve) => {
        answers.set(name, (pauseMs) =>
          resolve(pauseMs === undefined ? { kind: "accepted", value: name } : { kind: "busy", pauseMs }),
        );
      });
    });
  const answer = async (name: string, pauseMs?: number): Promise<void> => {
    answers.get(name)?.(pauseMs);
    await settle();
  };
  return { clock, sent, submit, answer };
}
const names = (count: number, from = 0): string[] => Array.from({ length: count }, (_, i) => `n${from + i}`);

describe("PressureLimits", () => {
  it("transport 59: 400 at one time, and a place is free once its request is accepted", async () => {
    const { sent, submit, answer } = busyService();
    for (const name of names(402)) submit(name);
    await settle();
    expect(sent).toEqual(names(400));
    await answer("n7");
    expect(sent).toHaveLength(401);
  });

  it("BR-069: after a storm of refusals half as many go out, and one more for each that is taken", async () => {
    const { clock, sent, submit, answer } = busyService();
    const all = names(400);
    for (const name of all) submit(name);
    await settle();
    await Promise.all(all.map((name) => answer(name, 1_000)));
    sent.length = 0;
    await clock.advance(1_000);
    expect(sent).toHaveLength(200);
    // The order of arrival holds although all had been refused.
    expect(sent).toEqual(names(200));
    await answer("n0");
    expect(sent).toHaveLength(202);
  });

  it("transport 58: those who come while it was lately busy are few and weigh more", async () => {
    const { clock, sent, submit, answer } = busyService({ maxBytes: 100 });
    submit("first");
    await settle();
    await answer("first", 1_000);
    await clock.advance(1_000);
    await answer("first");
    sent.length = 0;
    await clock.advance(4_000);
    for (const name of names(15)) submit(name, 1);
    await settle();
    // 20 bytes each: five use the budget up, and one more is let in while the balance is not below zero.
    expect(sent).toEqual(names(6));
    for (const name of names(15)) await answer(name);
    await clock.advance(6_000);
    sent.length = 0;
    for (const name of names(50, 100)) submit(name, 1);
    await settle();
    expect(sent).toHaveLength(50);
  });

  it("a shorter pause does not end a longer one, and whoever stands in line waits it out too", async () => {
    const { clock, sent, submit, answer } = busyService({ most: 2, least: 1 });
    for (const name of ["large", "small", "third"]) submit(name);
    await settle();
    await answer("large", 5_000);
    await answer("small", 1_000);
    await clock.advance(4_999);
    expect(sent).toEqual(["large", "small"]);
    await clock.advance(1);
    expect(sent).toEqual(["large", "small", "large"]);
    await answer("large");
    expect(sent.slice(3)).toEqual(["small", "third"]);
  });

  it("transport 65: an abort in line, in a pause or on the way gives everything back", async () => {
    const { clock, sent, submit, answer } = busyService({ most: 1, least: 1, maxBytes: 0 });
    const controllers = names(3).map(() => new AbortController());
    const failures = names(3).map((name, i) =>
      submit(name, 1, controllers[i]?.signal).catch((error: Error) => error.message),
    );
    await settle();
    await answer("n0", 60_000);
    controllers.forEach((controller, i) => {
      controller.abort(new Error(`gone ${i}`));
    });
    expect(await Promise.all(failures)).toEqual(["gone 0", "gone 1", "gone 2"]);
    submit("later");
    await clock.advance(60_000);
    expect(sent).toEqual(["n0", "later"]);
  });

  it("whoever was let through a line is not passed by someone who comes before its promise has told it", async () => {
    const { sent, submit, answer } = busyService({ maxBytes: 100 });
    // The caller of the first goes on in the very turns in which "small" is let through.
    const late = submit("heavy", 101).then(() => submit("late"));
    submit("small");
    await answer("heavy");
    expect(sent).toEqual(["heavy", "small", "late"]);
    await answer("late");
    expect(await late).toBe("late");
  });

  it("order holds however requests come, are taken and are aborted, in whichever turns of the microtask queue", async () => {
    const turns = fc.nat(6);
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant("submit"), pick: fc.nat(11), turns }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant("answer"), pick: fc.nat(), turns }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("abort"), pick: fc.nat(), turns }) },
    );
    const rules = fc.record({
      most: fc.integer({ min: 1, max: 4 }),
      least: fc.constant(1),
      maxBytes: fc.nat(30),
    });
    const steps = fc.array(step, { maxLength: 60, size: "max" });
    await fc.assert(
      fc.asyncProperty(rules, steps, async (given, all) => {
        const limits = new PressureLimits({ ...RULES, ...given }, manualClock(), () => 0);
        const controllers: AbortController[] = [];
        const open: (() => void)[] = [];
        const sent: number[] = [];
        const ends: Promise<number>[] = [];
        for (const { kind, pick, turns: count } of all) {
          if (kind === "submit") {
            const controller = new AbortController();
            const place = controllers.push(controller);
            const end = limits.submit<number>(pick + 1, controller.signal, () => {
              sent.push(place);
              return new Promise((resolve) => open.push(() => resolve({ kind: "accepted", value: place })));
            });
            ends.push(end.catch(() => place));
          } else if (kind === "answer") open.splice(pick % Math.max(open.length, 1), 1)[0]?.();
          else controllers[pick % Math.max(controllers.length, 1)]?.abort(new Error("gone"));
          for (let turn = 0; turn < count; turn += 1) await undefined;
        }
        for (await settle(); open.length > 0; await settle()) for (const take of open.splice(0)) take();
        expect(await Promise.all(ends)).toHaveLength(controllers.length);
        expect(sent).toEqual(sent.toSorted((one, other) => one - other));
        expect({ bytes: limits.bytes, waiting: limits.waiting }).toEqual({ bytes: 0, waiting: 0 });
      }),
      { numRuns: 300 },
    );
  });
});
