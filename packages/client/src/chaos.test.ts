import { type Clock, systemClock } from "@tinkex/base";
import { seededRandom } from "@tinkex-tooling/hostile-server";
import { expect, it } from "vitest";
import { lossOf, ServiceClient } from "./index.js";
import { DescentService } from "./testing/campaign/descent-service.js";
import { FailingProxy } from "./testing/campaign/failing-proxy.js";
import { datum } from "./testing/examples.js";
import { RecordingLogger } from "./testing/recording-logger.js";

const SHORT_CALLS = 280;
/** The short campaign is part of every test run; `pnpm test:chaos` runs the long one. */
const calls = Number(process.env.TINKEX_CHAOS_CALLS ?? SHORT_CALLS);
const seed = Number(process.env.TINKEX_CHAOS_SEED ?? 20_261_128);
const FAULT_SHARE = 0.2;
const CLIENTS = 20;
/** A pass and a step each, a sample, and every second time a pass that is given up. */
const CALLS_PER_TURN = 3.5;
const TURNS = Math.max(4, Math.round(calls / CLIENTS / CALLS_PER_TURN));
/** Turns whose calls are under way at one time. */
const TURNS_AT_ONCE = 10;
/** Targets of passes that are given up before they could leave, and of those that are once they were submitted. */
const NEVER_SENT = 7_000;
const GIVEN_UP = 8_000;
const TIMES_FASTER = 20;
/** The clock's hurry must not use up what a busy machine needs: an hour of the client's time for one request. */
const RETRY = { budgetMs: 3_600_000 };
/** Lines a minute of the client's time: each kind of trouble may be told of once a minute. */
const MAX_LINES_A_MINUTE = 12;

/** The machine's time, faster, so that pauses between tries are short. */
const fast: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * TIMES_FASTER,
  sleep: (ms, signal, options) => systemClock.sleep(ms / TIMES_FASTER, signal, options),
};

/** Outcomes of one client's calls. */
interface Run {
  readonly losses: readonly number[];
  readonly values: readonly number[];
  readonly sampled: readonly number[];
  readonly lines: readonly string[];
}

/** Trains and samples with everything pipelined. @param givesUp - also gives passes up, which must not matter to the others */
async function runClient(baseUrl: string, number: number, givesUp: boolean): Promise<Run> {
  const logger = new RecordingLogger();
  const random = seededRandom(seed + number);
  await using service = new ServiceClient({
    baseUrl,
    apiKey: "tml-chaos",
    env: {},
    clock: fast,
    random,
    logger,
    retry: RETRY,
  });
  const training = await service.createLoraTrainingClient({ base_model: "b" });
  const sampler = await service.createSamplingClient({ base_model: "b" });
  const losses: number[] = [];
  const values: number[] = [];
  const sampled: number[] = [];
  for (let first = 0; first < TURNS; first += TURNS_AT_ONCE) {
    const given: Promise<unknown>[] = [];
    const turns = Array.from({ length: Math.min(TURNS_AT_ONCE, TURNS - first) }, (_, index) => {
      const turn = first + index;
      const pass = training.forwardBackward([datum((turn * 7) % 13)], "cross_entropy");
      if (givesUp && turn % 2 === 1) {
        const isUnsent = random() < 0.5;
        const controller = new AbortController();
        const { signal } = controller;
        const spare = training.forward([datum(isUnsent ? NEVER_SENT : GIVEN_UP)], "cross_entropy", {
          signal,
        });
        if (isUnsent) controller.abort();
        else
          spare.submitted.then(
            () => controller.abort(),
            () => {},
          );
        given.push(spare.catch(() => {}));
      }
      const step = training.optimStep({ learning_rate: 0.05 });
      const sample = sampler.sample({ prompt: [turn], sampling_params: { max_tokens: 1 } });
      return Promise.all([pass, step, sample]);
    });
    for (const [pass, step, sample] of await Promise.all(turns)) {
      losses.push(lossOf(pass)?.value ?? Number.NaN);
      values.push(step.metrics?.value ?? Number.NaN);
      sampled.push(sample.sequences[0]?.tokens[0] ?? Number.NaN);
    }
    await Promise.all(given);
  }
  return { losses, values, sampled, lines: logger.lines };
}

it("twenty clients behind a proxy that fails and restarts train and sample as one does without it", async () => {
  const service = await DescentService.start();
  const undisturbed = await runClient(service.stub.url, 0, false);
  const doneBefore = service.done;
  expect(doneBefore).toBe(3 * TURNS);
  const requestsPerRestart = Math.max(400, Math.round(calls / 4));
  const faults = { share: FAULT_SHARE, requestsPerRestart, restartMs: 60, random: seededRandom(seed) };
  const proxy = await FailingProxy.start(service.stub.url, faults);
  const startedAtMs = fast.monotonic();
  try {
    const runs = await Promise.all(
      Array.from({ length: CLIENTS }, (_, number) => runClient(proxy.url, number, true)),
    );
    const minutes = (fast.monotonic() - startedAtMs) / 60_000;
    for (const { losses, values, sampled, lines } of runs) {
      expect(losses).toEqual(undisturbed.losses);
      expect(values).toEqual(undisturbed.values);
      expect(sampled).toEqual(undisturbed.sampled);
      expect(lines.length, lines.join("\n")).toBeLessThan(MAX_LINES_A_MINUTE * (minutes + 1));
    }
    expect(service.violations).toEqual([]);
    expect(service.forwardTargets).not.toContain(NEVER_SENT);
    const sparePasses = service.forwardTargets.length;
    expect(service.done - doneBefore).toBe(3 * TURNS * CLIENTS + sparePasses);
    // The test shows something only where there was trouble enough.
    expect(proxy.restarts).toBeGreaterThan(0);
    expect(service.repeats).toBeGreaterThan(calls / 50);
    const lines = runs.reduce((sum, run) => sum + run.lines.length, 0);
    if (calls > SHORT_CALLS) {
      console.log({ seed, done: service.done - doneBefore, sparePasses, repeats: service.repeats });
      console.log({ faults: proxy.faults, restarts: proxy.restarts, minutes, lines });
    }
  } finally {
    await proxy.close();
    await service.stub.close();
  }
}, 900_000);
