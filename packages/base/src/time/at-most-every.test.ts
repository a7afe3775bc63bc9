import { expect, it } from "vitest";
import { FakeClock } from "../testing/fake-clock.js";
import { atMostEvery } from "./at-most-every.js";

it("says yes at once, and again when the interval is over", async () => {
  const clock = new FakeClock();
  const isDue = atMostEvery(60_000, clock);
  expect([isDue(), isDue()]).toEqual([true, false]);
  await clock.advance(59_999);
  expect(isDue()).toBe(false);
  await clock.advance(1);
  expect([isDue(), isDue()]).toEqual([true, false]);
});

it("counts the interval from the last yes, not from the last question", async () => {
  const clock = new FakeClock();
  const isDue = atMostEvery(100, clock);
  isDue();
  await clock.advance(60);
  expect(isDue()).toBe(false);
  await clock.advance(60);
  expect(isDue()).toBe(true);
});
