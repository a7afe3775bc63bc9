import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { ClosedError, ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine, EngineDatum, PassRequest, SampleTask } from "../engine/engine.js";
import { createInProcessEngine } from "./in-process-engine.js";

const directory = new URL("../../fixtures/numerics/models/tiny-llama", import.meta.url).pathname;
const model = { name: "tinkex/tiny", directory };
const root = temporaryDirectory();

const shape = { rank: 4, trainAttention: true, trainMlp: true, trainUnembedding: true };
const tokens = Int32Array.of(1, 282, 270, 206, 325, 273, 311, 360);
const datum: EngineDatum = {
  tokens,
  targets: Int32Array.of(...tokens.subarray(1), 2),
  targetsPerToken: 1,
  targetsAreMatrix: false,
  lossInputs: { weights: new Float32Array(tokens.length).fill(1) },
};
const pass = (adapterId: string, fields: Partial<PassRequest> = {}): PassRequest => ({
  adapterId,
  data: [datum],
  loss: "cross_entropy",
  lossConfig: {},
  forwardOnly: false,
  ...fields,
});
const adam = {
  learningRate: 0.01,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-12,
  weightDecay: 0,
  gradientClipNorm: 0,
};
const task = (fields: Partial<SampleTask> = {}): SampleTask => ({
  prompt: tokens.subarray(0, 4),
  sampleCount: 1,
  maxTokens: 6,
  seed: 1,
  temperature: 0,
  topK: -1,
  topP: 1,
  stopTokenIds: [],
  stopTexts: [],
  wantsPromptLogprobs: false,
  topkPromptLogprobs: 0,
  ...fields,
});

let engine: Engine;
beforeAll(async () => {
  engine = await createInProcessEngine({ model, runtime: "native", threads: 2 });
});
afterAll(() => engine.close());

/** Both halves of a step, asked for at once. */
const trainOnce = (id: string) => Promise.all([engine.pass(pass(id)), engine.optimStep(id, adam)]);
const lossOf = async (id: string) => (await engine.pass(pass(id, { forwardOnly: true }))).lossSum;

describe("an engine in this thread", () => {
  it("describes its model and runtime", () => {
    expect(engine.model).toEqual({
      name: "tinkex/tiny",
      directory,
      architecture: "llama",
      vocabularySize: 384,
      contextLength: 512,
      endTokenIds: [2],
      weights: "float32",
    });
    expect(engine.runtime).toEqual({ name: "native", threads: 2, reason: "asked for" });
  });

  it("trains: the loss falls, and equal seeds give equal numbers", async () => {
    await Promise.all([engine.createAdapter("a", shape, 3), engine.createAdapter("b", shape, 3)]);
    const before = await lossOf("a");
    const losses = async (id: string) => {
      const seen: number[] = [];
      for (let step = 0; step < 5; step++) {
        seen.push((await engine.pass(pass(id))).lossSum);
        await engine.optimStep(id, adam);
      }
      return seen;
    };
    const [ofA, ofB] = await Promise.all([losses("a"), losses("b")]);
    expect(ofA[0]).toBe(before);
    expect(ofA.at(-1)).toBeLessThan(before * 0.7);
    expect(ofB).toEqual(ofA);
  });

  it("runs operations on one adapter in order of arrival without being awaited", async () => {
    await engine.createAdapter("awaited", shape, 4);
    const metrics = [];
    for (let step = 0; step < 3; step++) {
      await engine.pass(pass("awaited"));
      metrics.push(await engine.optimStep("awaited", adam));
    }
    const expected = await lossOf("awaited");

    const created = engine.createAdapter("pipelined", shape, 4);
    const steps = Array.from({ length: 3 }, () => [
      engine.pass(pass("pipelined")),
      engine.optimStep("pipelined", adam),
    ]);
    const loss = lossOf("pipelined");
    await created;
    expect(await Promise.all(steps.map(([, step]) => step))).toEqual(metrics);
    expect(await loss).toBe(expected);
    expect(metrics.map((metric) => metric["step:max"])).toEqual([1, 2, 3]);
    expect(metrics[0]).toMatchObject({ "learning_rate:mean": 0.01 });
    expect(metrics[0]?.["grad_norm:mean"]).toBeGreaterThan(0);
  });

  it("adds up gradients until the step, forgets them after it, and a forward pass adds none", async () => {
    await engine.createAdapter("twice", shape, 5);
    await engine.pass(pass("twice"));
    await engine.pass(pass("twice", { forwardOnly: true }));
    await engine.pass(pass("twice"));
    const doubled = await engine.optimStep("twice", { ...adam, learningRate: 0 });
    await engine.pass(pass("twice"));
    const single = await engine.optimStep("twice", { ...adam, learningRate: 0 });
    const none = await engine.optimStep("twice", { ...adam, learningRate: 0 });
    expect(doubled["grad_norm:mean"]).toBeCloseTo(2 * (single["grad_norm:mean"] ?? 0), 4);
    expect(none["grad_norm:mean"]).toBe(0);
  });

  it("continues exactly from a checkpoint with optimizer state, and afresh without", async () => {
    await engine.createAdapter("original", shape, 6);
    for (let step = 0; step < 3; step++) await trainOnce("original");
    const saved = join(root, "checkpoint");
    expect(await engine.saveAdapter("original", saved, { includesOptimizer: true })).toBeGreaterThan(10_000);
    expect(await engine.loadAdapter("resumed", saved, { includesOptimizer: true })).toEqual(shape);
    expect(await engine.loadAdapter("weights only", saved, { includesOptimizer: false })).toEqual(shape);
    for (const id of ["original", "resumed", "weights only"]) await trainOnce(id);
    const expected = await lossOf("original");
    expect(await lossOf("resumed")).toBe(expected);
    expect(await lossOf("weights only")).not.toBe(expected);
  });

  it("samples as the trainer scores: log-probabilities agree to rounding", async () => {
    await engine.createAdapter("sampled", shape, 7);
    for (let step = 0; step < 3; step++) await trainOnce("sampled");
    const prompt = tokens.subarray(0, 4);
    const { sequences, promptLogprobs } = await engine.sample(
      task({ adapterId: "sampled", temperature: 1, maxTokens: 30, wantsPromptLogprobs: true }),
    );
    const [sequence] = sequences;
    if (sequence === undefined || promptLogprobs === undefined) throw new Error("nothing was sampled");
    const whole = Int32Array.of(...prompt, ...sequence.tokens);
    const scored = await engine.pass(
      pass("sampled", {
        forwardOnly: true,
        data: [
          {
            ...datum,
            tokens: whole.slice(0, -1),
            targets: whole.slice(1),
            lossInputs: { weights: new Float32Array(33) },
          },
        ],
      }),
    );
    const sampled = [...promptLogprobs.subarray(1), ...sequence.logprobs];
    expect(scored.logprobs[0]).toHaveLength(33);
    sampled.forEach((logprob, i) => {
      expect(Math.abs(logprob - (scored.logprobs[0]?.[i] ?? Number.NaN))).toBeLessThan(2e-5);
    });
  });

  it("stops at the id of a special token, and at its text", async () => {
    await engine.createAdapter("ender", shape, 12);
    const ends = { ...datum, targets: new Int32Array(tokens.length).fill(2) };
    for (let step = 0; step < 12; step++) {
      await engine.pass(pass("ender", { data: [ends] }));
      await engine.optimStep("ender", { ...adam, learningRate: 0.03 });
    }
    const sample = async (fields: Partial<SampleTask>) => {
      const { sequences } = await engine.sample(task({ adapterId: "ender", prompt: tokens, ...fields }));
      return { tokens: [...(sequences[0]?.tokens ?? [])], stopReason: sequences[0]?.stopReason };
    };
    expect(await sample({ stopTokenIds: [2] })).toEqual({ tokens: [2], stopReason: "stop" });
    expect(await sample({ stopTexts: ["<|im_end|>"] })).toEqual({ tokens: [2], stopReason: "stop" });
    expect(await sample({ maxTokens: 2 })).toEqual({ tokens: [2, expect.any(Number)], stopReason: "length" });
  });

  it("samples from the weights there were at its turn, whatever is trained meanwhile", async () => {
    await engine.createAdapter("moving", shape, 8);
    const ask = task({ adapterId: "moving", maxTokens: 40, temperature: 1 });
    const still = await engine.sample(ask);
    const during = engine.sample(ask);
    for (let step = 0; step < 4; step++) void trainOnce("moving");
    const after = engine.sample(ask);
    expect(await during).toEqual(still);
    expect((await after).sequences[0]?.logprobs).not.toEqual(still.sequences[0]?.logprobs);
  });

  it("gives a copy that stays as it was, and may be asked for before it is there", async () => {
    await engine.createAdapter("source", shape, 9);
    await trainOnce("source");
    const copied = engine.copyAdapter("source", "copy");
    const fromCopy = engine.sample(task({ adapterId: "copy", temperature: 1 }));
    void trainOnce("source");
    await copied;
    const first = await fromCopy;
    await trainOnce("source");
    expect(await engine.sample(task({ adapterId: "copy", temperature: 1 }))).toEqual(first);
  });

  it("samples from the base model, which a new adapter does not change", async () => {
    await engine.createAdapter("new", shape, 10);
    const base = await engine.sample(task());
    const adapted = await engine.sample(task({ adapterId: "new" }));
    expect(adapted.sequences[0]?.tokens).toEqual(base.sequences[0]?.tokens);
  });

  it("refuses adapters that are not there, or no more", async () => {
    await engine.createAdapter("short-lived", shape, 11);
    await engine.releaseAdapter("short-lived");
    for (const operation of [
      engine.pass(pass("short-lived")),
      engine.optimStep("never", adam),
      engine.saveAdapter("never", join(root, "never"), { includesOptimizer: false }),
      engine.copyAdapter("never", "copy of never"),
      engine.sample(task({ adapterId: "never" })),
      engine.loadAdapter("never", join(root, "never"), { includesOptimizer: false }),
    ]) {
      await expect(operation).rejects.toBeInstanceOf(ValidationError);
    }
    await expect(engine.optimStep("never", adam)).rejects.toThrow(/create it, or load it from a checkpoint/);
  });

  it("ends what runs when it is closed, and takes no more", async () => {
    const closing = await createInProcessEngine({ model, runtime: "native", threads: 2 });
    await closing.createAdapter("a", shape, 1);
    const running = [
      closing.sample(task({ sampleCount: 64, maxTokens: 500 })),
      closing.pass(pass("a", { data: Array.from({ length: 4000 }, () => datum) })),
      closing.optimStep("a", adam),
    ];
    const ended = Promise.allSettled(running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all([closing.close(), closing.close()]);
    const closed = { status: "rejected", reason: expect.any(ClosedError) };
    expect(await ended).toEqual([closed, closed, closed]);
    await expect(closing.sample(task())).rejects.toBeInstanceOf(ClosedError);
    await expect(closing.releaseAdapter("a")).rejects.toBeInstanceOf(ClosedError);
  });

  it("lets a second close wait for the first", async () => {
    const closing = await createInProcessEngine({ model, runtime: "native", threads: 2 });
    await closing.createAdapter("a", shape, 1);
    const passing = closing.pass(pass("a")).catch(() => {});
    const order: string[] = [];
    const first = closing.close().then(() => order.push("first"));
    const second = closing.close().then(() => order.push("second"));
    await Promise.all([first, second, passing]);
    expect(order).toEqual(["first", "second"]);
  });

  it.each([0, Number.NaN])("refuses %s threads", async (threads) => {
    const starting = createInProcessEngine({ model, threads });
    await expect(starting).rejects.toThrow(/threads must be a positive whole number/);
  });

  const descriptors = "/proc/self/fd";
  it.runIf(existsSync(descriptors))("leaves no file open when it cannot start", async () => {
    const open = () => readdirSync(descriptors).filter((descriptor) => pointsIntoModel(descriptor)).length;
    const pointsIntoModel = (descriptor: string) => {
      try {
        return readlinkSync(join(descriptors, descriptor)).startsWith(directory);
      } catch {
        // The descriptor of the listing itself is gone by now.
        return false;
      }
    };
    const before = open();
    await expect(createInProcessEngine({ model, threads: 0.5 })).rejects.toThrow(ValidationError);
    expect(open()).toBe(before);
  });

  it("refuses a directory that is no model", async () => {
    await expect(createInProcessEngine({ model: { name: "x", directory: root } })).rejects.toThrow(
      /not a model directory/,
    );
  });
});
