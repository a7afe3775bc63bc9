import { setImmediate as settle } from "node:timers/promises";
import { type Clock, onAbort } from "@tinkex/base";
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
});
