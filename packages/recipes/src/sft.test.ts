import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { AbortedError } from "@tinkex/base";
import { RunReader } from "@tinkex/runs";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { type RecipeEvent, type SftOptions, sft } from "./index.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";
import { spiedService } from "./testing/spied-service.js";

const { service } = localService();
const WORDS = "ant bee cat dog elk fox gnu hen owl pig ram yak".split(" ");
const train = WORDS.map((word) => ({ prompt: `${word}:`, completion: ` ${word}${word}\n` }));
const optionsOf = (more: Partial<SftOptions> = {}): SftOptions => ({
  service: service(),
  model: POCKET_MODEL,
  train,
  rank: 4,
  learningRate: 3e-3,
  batchSize: 4,
  evaluateEvery: 0,
  seed: 1,
  ...more,
});

/** Rows of metrics without the times. */
async function rowsOf(directory: string) {
  const rows = await new RunReader(directory).metrics();
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith("time/"))),
  );
}

const typesOf = (events: readonly RecipeEvent[]) =>
  events.map((event) =>
    event.type === "checkpoint" ? event.name : `${event.type} ${"step" in event ? event.step : ""}`,
  );

describe("sft", { timeout: 240_000 }, () => {
  it("cookbook 24: the loss falls, and events tell of steps, evaluations and checkpoints once they are on disk", async () => {
    const runDirectory = join(temporaryDirectory(), "run");
    const reader = new RunReader(runDirectory);
    const run = sft(
      optionsOf({ epochs: 2, runDirectory, saveEvery: 3, test: train.slice(0, 4), evaluateEvery: 4 }),
    );
    const events: RecipeEvent[] = [];
    for await (const event of run) {
      events.push(event);
      if (event.type === "step") expect((await reader.metrics()).length).toBeGreaterThan(event.step);
    }
    expect(typesOf(events)).toEqual([
      "start 0",
      "eval 0",
      ...["step 0", "step 1", "step 2", "000003"],
      ...["step 3", "eval 4", "step 4", "step 5", "final", "done 6"],
    ]);
    const { checkpoint, sampler, metrics, steps } = await run;
    expect(steps).toBe(6);
    expect(checkpoint).toMatchObject({ name: "final", batch: 6, isFinal: true });
    const rows = await reader.metrics();
    expect(Number(metrics.train_mean_nll)).toBeLessThan(Number(rows[0]?.train_mean_nll) / 2);
    expect(metrics.train_mean_nll).toBe(rows[5]?.train_mean_nll);
    expect(rows[0]).toMatchObject({
      step: 0,
      epoch: 0,
      progress: 1 / 6,
      learning_rate: 3e-3,
      num_sequences: 4,
    });
    expect(rows[4]?.["test/nll"]).toBeLessThan(Number(rows[0]?.["test/nll"]));
    expect(rows[0]?.train_mean_bpb).toBeGreaterThan(0);
    expect(rows[0]?.["optim/grad_norm"]).toBeGreaterThan(0);
    const { sequences } = await sampler.sample({ prompt: [100, 101], sampling_params: { max_tokens: 2 } });
    expect(sequences[0]?.tokens).toHaveLength(2);
    // Work that has ended is not done again: the same call gives the same checkpoint.
    const again = sft(
      optionsOf({ epochs: 2, runDirectory, saveEvery: 3, test: train.slice(0, 4), evaluateEvery: 4 }),
    );
    expect((await again).checkpoint).toEqual(checkpoint);
    expect((await again).metrics).toEqual(metrics);
    expect(await rowsOf(runDirectory)).toHaveLength(6);
  });

  it("waits for a function that takes the metrics, and ends with what it rejects with", async () => {
    const seen: number[] = [];
    const onMetrics = async (step: number) => {
      await setImmediate();
      seen.push(step);
      if (step === 1) throw new Error("the disk is full");
    };
    await expect(sft(optionsOf({ onMetrics, epochs: 2 }))).rejects.toThrow("the disk is full");
    expect(seen).toEqual([0, 1]);
  });

  it("a run that is stopped goes on to the same losses and the same rows of metrics, from its last checkpoint", async () => {
    const folder = temporaryDirectory();
    const [whole, broken] = [join(folder, "whole"), join(folder, "broken")];
    const options = (runDirectory: string) => optionsOf({ epochs: 2, runDirectory, saveEvery: 2 });
    await sft(options(whole));
    const stopAfter = async (step: number) => {
      const controller = new AbortController();
      const { signal } = controller;
      const onMetrics = (done: number) => {
        if (done === step) controller.abort(new Error("stopped"));
      };
      await expect(sft({ ...options(broken), signal, onMetrics })).rejects.toThrow();
    };
    // Before the first checkpoint, and behind the second one, whose line may not be written yet.
    await stopAfter(0);
    await stopAfter(3);
    const events: RecipeEvent[] = [];
    const run = sft(options(broken));
    for await (const event of run) events.push(event);
    expect(events[0]).toMatchObject({
      type: "start",
      totalSteps: 6,
      resumedFrom: expect.stringMatching(/^tinker:/),
    });
    const [wanted, found] = [await rowsOf(whole), await rowsOf(broken)];
    expect(found.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4, 5]);
    for (const [step, row] of found.entries()) {
      expect(Object.keys(row)).toEqual(Object.keys(wanted[step] ?? {}));
      for (const [name, value] of Object.entries(row))
        expect(value, `${name} of step ${step}`).toBeCloseTo(Number(wanted[step]?.[name]), 6);
    }
  });

  it("says what to do where the checkpoint that a run goes on from is gone", async () => {
    const runDirectory = join(temporaryDirectory(), "run");
    const controller = new AbortController();
    const { signal } = controller;
    const onMetrics = (step: number) => {
      if (step === 2) controller.abort(new Error("stopped"));
    };
    const options = { runDirectory, epochs: 2, saveEvery: 1 };
    await expect(sft(optionsOf({ ...options, signal, onMetrics }))).rejects.toBeInstanceOf(AbortedError);
    const checkpoints = await new RunReader(runDirectory).checkpoints();
    for (const { state_path } of checkpoints) {
      await service().rest.deleteCheckpointFromTinkerPath(String(state_path));
    }
    const { name, state_path } = checkpoints.at(-1) ?? {};
    const late = sft(optionsOf(options));
    await expect(late).rejects.toThrow(
      `the run goes on from its checkpoint ${name}, ${state_path}, which cannot be loaded (`,
    );
    await expect(late).rejects.toThrow(/the data directory of before \(tinkex serve --data DIRECTORY\)$/);
  });

  it("refuses to go on with another configuration, and names what differs", async () => {
    const runDirectory = join(temporaryDirectory(), "run");
    const calls: string[] = [];
    await sft(optionsOf({ maxSteps: 1, runDirectory }));
    const other = sft(
      optionsOf({
        service: spiedService(service(), (call) => calls.push(call)),
        maxSteps: 1,
        runDirectory,
        learningRate: 1e-3,
        train: train.slice(1),
      }),
    );
    await expect(other).rejects.toThrow(
      /differs in dataset\.sha256 \(.*\), dataset\.size \(12, now 11\), learning_rate \(0\.003, now 0\.001\)/,
    );
    expect(calls).toEqual([]);
    expect(readFileSync(join(runDirectory, "config.json"), "utf8")).not.toMatch(/api_?key/i);
  });

  it.each([
    [0, ["F", "O", "0", "F", "O", "1", "F", "O", "S", "W", "2"]],
    [1, ["F", "O", "F", "O", "0", "F", "O", "S", "W", "1", "2"]],
    [3, ["F", "O", "F", "O", "F", "O", "S", "W", "0", "1", "2"]],
  ])(
    "cookbook 16: with submitAhead %i passes, updates and saves are submitted in this order",
    async (submitAhead, wanted) => {
      const names: Readonly<Record<string, string>> = {
        forwardBackward: "F",
        optimStep: "O",
        saveState: "S",
        saveWeightsForSampler: "W",
      };
      const calls: string[] = [];
      const spy = spiedService(service(), (call) => {
        if (names[call] !== undefined) calls.push(names[call]);
      });
      await sft(optionsOf({ service: spy, submitAhead, onMetrics: (step) => void calls.push(String(step)) }));
      expect(calls).toEqual(wanted);
    },
  );

  it("cookbook 16: evaluators see the weights before the step, at steps 0, k and 2k, whatever was submitted ahead", async () => {
    const heldOut = train.slice(0, 4);
    const seen: [number, number][] = [];
    const run = sft(
      optionsOf({
        test: heldOut,
        evaluateEvery: 2,
        epochs: 2,
        maxSteps: 5,
        submitAhead: 3,
        saveEvery: 2,
        evaluators: [
          async ({ step, sampler }) => {
            const drawn = await sampler();
            const scores = await drawn.computeLogprobs([100, 101, 102, 103]);
            seen.push([step, scores.reduce<number>((sum, score) => sum + (score ?? 0), 0)]);
            return { "test/score": step };
          },
        ],
      }),
    );
    const events: RecipeEvent[] = [];
    for await (const event of run) events.push(event);
    expect(seen.map(([step]) => step)).toEqual([0, 2, 4]);
    const base = await service().createSamplingClient({ base_model: POCKET_MODEL });
    const paths = events.flatMap((event) =>
      event.type === "checkpoint" && !event.isFinal ? [event.samplerPath] : [],
    );
    const samplers = [
      base,
      ...(await Promise.all(paths.map((model_path) => service().createSamplingClient({ model_path })))),
    ];
    for (const [index, sampler] of samplers.entries()) {
      const scores = await sampler.computeLogprobs([100, 101, 102, 103]);
      expect(seen[index]?.[1]).toBeCloseTo(
        scores.reduce<number>((sum, score) => sum + (score ?? 0), 0),
        4,
      );
    }
    expect(events.flatMap((event) => (event.type === "eval" ? [event.metrics["test/score"]] : []))).toEqual([
      0, 2, 4,
    ]);
  });

  it("cookbook 12: examples that are cut before their first trained token are left out and counted, and none of them is sent", async () => {
    const long = { prompt: "x".repeat(60), completion: "y" };
    const run = sft(optionsOf({ train: [...train, long, long], maxLength: 30, maxSteps: 1 }));
    const events: RecipeEvent[] = [];
    for await (const event of run) events.push(event);
    expect(events).toContainEqual({
      type: "warning",
      message: "2 of 14 examples have no token to train on, and are left out",
    });
    expect((await run).metrics["datums/dropped"]).toBe(2);
    const calls: string[] = [];
    const spy = spiedService(service(), (call) => calls.push(call));
    await expect(
      sft(optionsOf({ service: spy, train: [long, long], maxLength: 30, batchSize: 1 })),
    ).rejects.toThrow(
      /train must have at least 1, enough for one step, got 0 besides 2 left out \(no token to train on: .*\); give some/,
    );
    expect(calls).not.toContain("forwardBackward");
  });

  it("asks for the learning rate of a model that nobody measured, before anything is sent", () => {
    const { learningRate: _, ...options } = optionsOf();
    expect(() => sft(options)).toThrow(
      /"tinkex\/pocket-1" is not in the table of models; give a learningRate/,
    );
    expect(() => sft({ ...options, learningRate: Number.NaN })).toThrow(
      /sft: learningRate must be above 0, got NaN/,
    );
    expect(() => sft({ ...options, learningRate: 1, batchsize: 3 } as SftOptions)).toThrow(
      /did you mean "batchSize"/,
    );
  });

  it("trains on chats by the model's renderer, and goes on from a checkpoint of another run without its optimizer", async () => {
    const chats = WORDS.map((word) => ({
      messages: [
        { role: "user", content: word },
        { role: "assistant", content: `${word}${word}` },
      ],
    }));
    const first = await sft(optionsOf({ train: chats }));
    const calls: string[] = [];
    const spy = spiedService(service(), (call) => calls.push(call));
    const second = await sft(
      optionsOf({ service: spy, model: first.checkpoint.statePath, train: chats, maxSteps: 1 }),
    );
    expect(calls[0]).toBe("createTrainingClientFromState");
    expect(second.metrics.train_mean_nll).toBeLessThan(Number(first.metrics.train_mean_nll) + 0.5);
  });
});
