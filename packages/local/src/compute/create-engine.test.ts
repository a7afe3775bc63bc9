import { AbortedError, ClosedError, ValidationError } from "@tinkex/base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine, EngineDatum, SampleTask } from "../engine/engine.js";
import { computed } from "../testing/computed.js";
import { createEngine } from "./create-engine.js";
import { createInProcessEngine } from "./in-process-engine.js";

// The worker runs the built package, which `npm test` makes first.
const directory = new URL("../../fixtures/numerics/models/tiny-llama", import.meta.url).pathname;
const options = { model: { name: "tinkex/tiny", directory }, runtime: "native", threads: 2 } as const;
const shape = { rank: 4, trainAttention: true, trainMlp: true, trainUnembedding: true };
const tokens = Int32Array.of(1, 282, 270, 206, 325, 273, 311, 360);
const datum: EngineDatum = {
  tokens,
  targets: Int32Array.of(...tokens.subarray(1), 2),
  targetsPerToken: 1,
  targetsAreMatrix: false,
  lossInputs: { weights: new Float32Array(tokens.length).fill(1) },
};
const pass = (adapterId: string, data: readonly EngineDatum[] = [datum]) =>
  ({ adapterId, data, loss: "cross_entropy", lossConfig: {}, forwardOnly: false }) as const;
const adam = {
  learningRate: 0.01,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-12,
  weightDecay: 0,
  gradientClipNorm: 0,
};
const task = (fields: Partial<SampleTask> = {}): SampleTask => ({
  adapterId: "a",
  prompt: tokens,
  sampleCount: 2,
  maxTokens: 10,
  seed: 1,
  temperature: 1,
  topK: -1,
  topP: 1,
  stopTokenIds: [],
  stopTexts: ["never\u0000said"],
  wantsPromptLogprobs: true,
  topkPromptLogprobs: 2,
  ...fields,
});

/** A little of everything. */
async function trainAndSample(engine: Engine) {
  await engine.createAdapter("a", shape, 3);
  const before = computed(await engine.pass(pass("a")));
  const step = await engine.optimStep("a", adam);
  await engine.copyAdapter("a", "b");
  const after = computed(await engine.pass(pass("b")));
  const sampled = await engine.sample(task());
  await engine.releaseAdapter("b");
  return { before, step, after, sampled };
}

describe("createEngine", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine(options);
  });
  afterAll(() => engine.close());

  it("gives an engine that answers just as one in this thread", async () => {
    const local = await createInProcessEngine(options);
    expect(engine.model).toEqual(local.model);
    expect(engine.runtime).toEqual(local.runtime);
    expect(await trainAndSample(engine)).toEqual(await trainAndSample(local));
    await local.close();
  });

  it("leaves this thread free while it computes", async () => {
    await engine.createAdapter("busy", shape, 1);
    const working = engine.pass(pass("busy", new Array<EngineDatum>(4000).fill(datum)));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await working;
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(10);
  });

  it("keeps the kind and the place of an error", async () => {
    const sampling = engine.sample(task({ adapterId: "a", prompt: Int32Array.of(1, 999) }));
    await expect(sampling).rejects.toBeInstanceOf(ValidationError);
    await expect(sampling).rejects.toMatchObject({ path: ["prompt", 1] });
  });

  it("passes an abort on, so that the engine stops computing", async () => {
    // As many samples as are drawn side by side, so that another request waits for them.
    const long = task({ adapterId: "aborted", sampleCount: 64, maxTokens: 250 });
    await engine.createAdapter("aborted", shape, 1);
    const start = performance.now();
    await engine.sample(long);
    const wholeMs = performance.now() - start;
    const controller = new AbortController();
    const sampling = engine.sample(long, controller.signal);
    setTimeout(() => controller.abort(), 20);
    await expect(sampling).rejects.toBeInstanceOf(AbortedError);
    const aborted = performance.now();
    await engine.sample(task({ adapterId: "aborted" }));
    expect(performance.now() - aborted).toBeLessThan(wholeMs / 3);
  });

  it("closes twice, rejects what is pending, and takes no more", async () => {
    const closing = await createEngine(options);
    await closing.createAdapter("a", shape, 1);
    const ended = Promise.allSettled([closing.sample(task({ sampleCount: 64, maxTokens: 500 }))]);
    await Promise.all([closing.close(), closing.close()]);
    expect(await ended).toEqual([{ status: "rejected", reason: expect.any(ClosedError) }]);
    await expect(closing.optimStep("a", adam)).rejects.toBeInstanceOf(ClosedError);
  });

  it("refuses a directory that is no model", async () => {
    const starting = createEngine({ model: { name: "x", directory: "/no/such/model" } });
    await expect(starting).rejects.toBeInstanceOf(ValidationError);
    await expect(starting).rejects.toThrow(/\/no\/such\/model is not a model directory/);
  });
});
