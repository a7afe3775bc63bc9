import { describe, expect, it } from "vitest";
import { BACKOFFS, BackoffCounter, backoffMs } from "./backoff.js";

const middle = () => 0.5;

describe("backoffMs", () => {
  it("doubles from the first delay up to the limit", () => {
    const delays = [0, 1, 2, 3, 4, 5, 60, 2000].map((retries) =>
      backoffMs(BACKOFFS.brokenPoll, retries, middle),
    );
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it.each([
    ["patient", 1_000, 750],
    ["poll", 0, 250],
    ["resample", 375, 625],
  ] as const)("draws the factor of %s evenly between its bounds", (name, atZero, towardsOne) => {
    const almostOne = 1 - 2 ** -40;
    expect(backoffMs(BACKOFFS[name], 0, () => 0)).toBe(atZero);
    expect(backoffMs(BACKOFFS[name], 0, () => almostOne)).toBeCloseTo(towardsOne, 6);
  });

  it("never waits longer than the limit, whatever chance adds", () => {
    expect(backoffMs(BACKOFFS.resample, 20, () => 0.999)).toBe(10_000);
  });
});

describe("BackoffCounter", () => {
  it("grows from one failure to the next and begins again after a success", () => {
    const counter = new BackoffCounter(BACKOFFS.brokenPoll, middle);
    expect([counter.nextMs(), counter.nextMs(), counter.nextMs()]).toEqual([1_000, 2_000, 4_000]);
    counter.reset();
    expect(counter.nextMs()).toBe(1_000);
  });
});
