import { FakeClock } from "@tinkex/base/testing";
import type { CustomLoss } from "@tinkex/types";
import { CANARY_KEY } from "@tinkex-tooling/canary";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { ApiFuture } from "../future/api-future.js";
import { ServiceClient } from "../service/service-client.js";
import { SessionLostError } from "../session/session-lost-error.js";
import { datums } from "../testing/examples.js";
import { type Fate, ModelService, type SequenceHabit } from "../testing/model-service.js";
import { RecordingLogger } from "../testing/recording-logger.js";
import { SequenceBrokenError } from "./sequence-broken-error.js";
import type { TrainingClient } from "./training-client.js";

/** One call of a program. */
interface Call {
  readonly kind: "step" | "pass" | "save" | "custom loss" | "train step";
  readonly datumCount: number;
  /** Milliseconds from the call until it is aborted. */
  readonly abortAfterMs: number | undefined;
  readonly pauseBeforeMs: number;
}

/** The same of one call that was made, and what became of it. */
interface Made {
  readonly name: string;
  readonly index: number;
  /** Made of several operations, of which the server may take the first alone. */
  readonly isJoined: boolean;
  abortedAtMs: number | undefined;
  outcome: "ok" | Error | undefined;
}

const FATES: readonly Fate[] = [
  "no connection",
  "reset before it arrives",
  "answer lost",
  "proxy page",
  "proxy page after it arrived",
  "busy",
  "unpaid",
  "refused",
  "down",
  "down after it arrived",
];

const fate = fc.oneof(
  { weight: 3, arbitrary: fc.constant<readonly Fate[]>(["arrives"]) },
  { weight: 2, arbitrary: fc.constantFrom(...FATES).map((one) => [one]) },
  // An outage, which ends a call or does not.
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...FATES), fc.integer({ min: 2, max: 30 }))
      .map(([one, times]) => Array.from({ length: times }, () => one)),
  },
);

const call: fc.Arbitrary<Call> = fc.record({
  kind: fc.constantFrom("step", "pass", "save", "custom loss", "train step"),
  datumCount: fc.integer({ min: 1, max: 4 }),
  abortAfterMs: fc.option(fc.constantFrom(0, 1, 700, 3_000, 40_000), { nil: undefined, freq: 2 }),
  pauseBeforeMs: fc.constantFrom(0, 0, 0, 1_500, 60_000),
});

const program = fc.record({
  habit: fc.constantFrom<SequenceHabit>("counts", "reuses", "strict"),
  calls: fc.array(call, { minLength: 1, maxLength: 8 }),
  fates: fc.array(fate, { maxLength: 12 }).map((each) => each.flat()),
  latenciesMs: fc.array(fc.constantFrom(0, 0, 20, 900), { maxLength: 4 }),
  restartAfter: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined, freq: 2 }),
});

/** Most busy answers that no request is given up for. */
const MAX_BUSY = 12;

/** Tells whether all requests arrive, if not at the first try. */
function isCalm(fates: readonly Fate[]): boolean {
  return fates.length <= MAX_BUSY && fates.every((one) => one === "arrives" || one === "busy");
}

/** Programs whose requests all arrive, and are aborted at whichever moment. */
const calmProgram = program.chain((one) =>
  fc
    .array(fc.constantFrom<Fate>("arrives", "busy"), { maxLength: MAX_BUSY })
    .map((fates) => ({ ...one, fates, restartAfter: undefined })),
);

/** A loss without slope. */
const flatLoss: CustomLoss = (_, logprobs) => ({
  loss: 0,
  gradients: logprobs.map((values) => new Float32Array(values.length)),
});

function start(
  training: TrainingClient,
  { kind, datumCount }: Call,
  name: string,
  signal: AbortSignal,
): ApiFuture<unknown> {
  const options = { signal, headers: { "x-call": name } };
  if (kind === "step") return training.optimStep({}, options);
  if (kind === "save") return training.saveState("x", options);
  if (kind === "custom loss") return training.forwardBackwardCustom(datums(datumCount), flatLoss, options);
  if (kind === "train step") return training.trainStep(datums(datumCount), "cross_entropy", {}, options);
  return training.forwardBackward(datums(datumCount), "cross_entropy", options);
}

async function outcomeOf(future: PromiseLike<unknown>): Promise<"ok" | Error> {
  try {
    await future;
    return "ok";
  } catch (error) {
    return error as Error;
  }
}

/** Moves the clock until the work has settled. */
async function through<T>(clock: FakeClock, work: Promise<T>, limitMs: number): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  work.then(settle, settle);
  for (const endsAtMs = clock.now() + limitMs; !isSettled; ) {
    if (clock.now() > endsAtMs) throw new Error(`not settled after ${limitMs} ms`);
    await clock.advance(20_000);
  }
  return work;
}

/** Runs a program against the server it names, and checks all that must hold. */
async function run({
  habit,
  calls,
  fates,
  latenciesMs,
  restartAfter,
}: typeof program extends fc.Arbitrary<infer P> ? P : never): Promise<void> {
  const clock = new FakeClock({ startMs: 1_000_000 });
  const server = new ModelService(habit, clock, { fates, latenciesMs, restartAfter });
  const service = new ServiceClient({
    baseUrl: "http://model.test",
    apiKey: CANARY_KEY,
    env: {},
    fetch: server.fetch as typeof fetch,
    wire: "json",
    clock,
    logger: new RecordingLogger(),
    random: () => 0.5,
  });
  try {
    const training = await through(clock, service.createLoraTrainingClient({ base_model: "b" }), 10_000);
    const made: Made[] = [];
    const settled: Promise<void>[] = [];
    for (const [index, each] of calls.entries()) {
      if (each.pauseBeforeMs > 0) await clock.advance(each.pauseBeforeMs);
      const controller = new AbortController();
      const isJoined = each.kind === "custom loss" || each.kind === "train step";
      const one: Made = {
        name: `call ${index}`,
        index,
        isJoined,
        abortedAtMs: undefined,
        outcome: undefined,
      };
      made.push(one);
      const future = start(training, each, one.name, controller.signal);
      settled.push(
        outcomeOf(future).then((outcome) => {
          one.outcome = outcome;
        }),
      );
      if (each.abortAfterMs === undefined) continue;
      void clock.sleep(each.abortAfterMs).then(() => {
        if (one.outcome !== undefined) return;
        one.abortedAtMs = clock.now();
        controller.abort("enough");
      });
    }
    // Every future settles: each call in a row may use up its budget, a pause for billing and what is under way.
    await through(clock, Promise.all(settled), calls.length * 1_000_000);
    await clock.advance(120_000);
    server.heal();
    check(server, made);
    const finalStep = (client: TrainingClient) =>
      through(clock, outcomeOf(client.optimStep({}, { headers: { "x-call": "last" } })), 1_000_000);
    const end = await finalStep(training);
    if (server.isRestarted) {
      // The client says that its model is gone, and what comes after goes on in a new session.
      const isSaid = end instanceof SessionLostError || end instanceof SequenceBrokenError;
      expect([end, isSaid]).toEqual([end, true]);
      const creation = service.createLoraTrainingClient({ base_model: "b" });
      const renewed = await through(clock, creation, 1_000_000);
      expect(renewed.modelId).toBe("S2:train:0");
      expect(await finalStep(renewed)).toBe("ok");
      return;
    }
    const broken = [...made.map(({ outcome }) => outcome), end].some(
      (each) => each instanceof SequenceBrokenError,
    );
    // Aborts alone, and a server that is busy for a moment, leave nothing in doubt.
    if (isCalm(fates)) expect([end, broken]).toEqual([end, false]);
    // Not broken: nothing stands in the way of the next call. Broken: the client says so.
    if (broken) expect(end).toBeInstanceOf(SequenceBrokenError);
    else {
      expect(end).toBe("ok");
      expect(server.nextId).toBeGreaterThan(Math.max(0, ...server.taken.map(({ seqId }) => seqId)));
      for (const { name, outcome, abortedAtMs, isJoined } of made) {
        // A call that failed without being given up was not taken, or the client would be broken.
        const isTaken = server.taken.some((each) => each.call === name);
        if (outcome !== "ok" && abortedAtMs === undefined && !isJoined)
          expect([name, isTaken]).toEqual([name, false]);
      }
    }
  } finally {
    await service.close();
  }
}

function check(server: ModelService, made: readonly Made[]): void {
  const order = [...server.taken].sort((a, b) => a.seqId - b.seqId);
  // Each id once, in the order of the calls.
  expect(new Set(order.map(({ seqId }) => seqId)).size).toBe(order.length);
  const indices = order.map((each) => made.find(({ name }) => name === each.call)?.index ?? -1);
  expect(indices).toEqual([...indices].sort((a, b) => a - b));
  for (const { name, outcome, abortedAtMs } of made) {
    expect(outcome).toBeDefined();
    const deliveries = server.deliveries.filter((each) => each.call === name);
    if (outcome === "ok") expect(server.taken.some((each) => each.call === name)).toBe(true);
    if (abortedAtMs === undefined) continue;
    const late = deliveries.filter(({ leftAtMs }) => leftAtMs > abortedAtMs);
    // Nothing leaves after an abort, but for the rest of a call that the server has taken a part of.
    if (late.length > 0) expect(server.taken.some((each) => each.call === name)).toBe(true);
    if (late.length > 0) expect(late.length).toBeLessThan(deliveries.length);
  }
}

const runs = Number(process.env.TINKEX_QUEUE_RUNS ?? 150);
const seed = process.env.TINKEX_QUEUE_SEED;

it.each([
  ["keeps ids, order and aborts whatever the network and the server do", program],
  ["goes on after aborts where all else arrives", calmProgram],
])(
  "%s",
  async (_, programs) => {
    const parameters = { numRuns: runs, seed: seed === undefined ? 20_261_128 : Number(seed) };
    await fc.assert(fc.asyncProperty(programs, run), parameters);
  },
  3_600_000,
);
