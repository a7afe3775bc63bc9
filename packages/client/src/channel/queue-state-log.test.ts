import { FakeClock } from "@tinkex/base/testing";
import { expect, it } from "vitest";
import { RecordingLogger } from "../testing/recording-logger.js";
import { samplingPauseLog, trainingPauseLog } from "./queue-state-log.js";

const paused = { state: "paused_capacity", reason: undefined } as const;
const limited = { state: "paused_rate_limit", reason: undefined } as const;

/** Notes states at given seconds, and gives the seconds at which a line was written. */
async function lineTimes(
  make: typeof trainingPauseLog,
  notes: readonly (readonly [
    second: number,
    state: { readonly state: string; readonly reason: string | undefined },
  ])[],
): Promise<number[]> {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const log = make("S:train:0", { clock, logger });
  const times: number[] = [];
  for (const [second, state] of notes) {
    await clock.advance(second * 1000 - clock.now());
    const before = logger.lines.length;
    log.note(state);
    if (logger.lines.length > before) times.push(second);
  }
  return times;
}

it("newest-clients 50: tells of a pause of training after a quarter of an hour of the same pause, then once a minute", async () => {
  const seconds = [0, 899, 900, 930, 960].map((second) => [second, paused] as const);
  const others = [961, 1860, 1861].map((second) => [second, limited] as const);
  expect(await lineTimes(trainingPauseLog, [...seconds, ...others])).toEqual([900, 960, 1861]);
});

it("newest-clients 50: starts again after the service has worked", async () => {
  const active = { state: "active", reason: undefined } as const;
  expect(
    await lineTimes(trainingPauseLog, [
      [0, paused],
      [500, active],
      [501, paused],
      [1400, paused],
      [1401, paused],
    ]),
  ).toEqual([1401]);
});

it("clients 57: tells of a pause of sampling at once, then once a minute", async () => {
  const seconds = [0, 30, 59, 60, 61, 121].map((second) => [second, paused] as const);
  expect(await lineTimes(samplingPauseLog, seconds)).toEqual([0, 60, 121]);
});

it.each([
  [{ state: "paused_capacity", reason: "because" }, "because"],
  [{ state: "paused_capacity", reason: "" }, "the service is short of capacity, please wait"],
  [limited, "the limit of concurrent sampler weights is reached"],
  [{ state: "weird", reason: undefined }, "unknown"],
])("gives the service's reason for %j, or ours", (state, reason) => {
  const logger = new RecordingLogger();
  samplingPauseLog("S:sample:0", { clock: new FakeClock(), logger }).note(state);
  expect(logger.lines).toEqual([`warn: Sampling for S:sample:0 is paused. Reason: ${reason}.`]);
});
