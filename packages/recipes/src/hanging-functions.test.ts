import { existsSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { evaluate, fineTune, generate, rl, sft } from "./index.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";

const { service } = localService();
const never = new Promise<never>(() => {});
const train = ["ant", "bee"].map((word) => ({ prompt: `${word}:`, completion: ` ${word}\n` }));
const settings = () => ({
  service: service(),
  model: POCKET_MODEL,
  rank: 4,
  learningRate: 1e-3,
  batchSize: 1,
});
const asked = { problems: ["ab "], prompt: (text: string) => text, maxTokens: 2 };
const reason = new Error("enough");

/** A source that hangs behind its first example. @param reached - told when it does */
async function* hangingBehind<Example>(example: Example, reached: () => void) {
  yield example;
  reached();
  await never;
}

describe("a run that is aborted while a function of the user's hangs", { timeout: 240_000 }, () => {
  it.each([
    ["an evaluator", (hang: () => Promise<never>) => ({ evaluators: [hang] })],
    ["onMetrics", (hang: () => Promise<never>) => ({ onMetrics: hang })],
    ["a data set", (hang: () => Promise<never>) => ({ train: hangingBehind(train[0] ?? fail(), hang) })],
    ["held-out data", (hang: () => Promise<never>) => ({ test: hangingBehind(train[0] ?? fail(), hang) })],
  ])("ends at once: %s", async (_, withHanging) => {
    for (const recipe of [sft, fineTune]) {
      const control = new AbortController();
      const hang = (): Promise<never> => {
        control.abort(reason);
        return never;
      };
      const run = recipe({ ...settings(), train, signal: control.signal, ...withHanging(hang) });
      await expect(run).rejects.toMatchObject({ name: "AbortedError", cause: reason });
    }
  });

  it("ends where a source of problems hangs, and asks it for no more", async () => {
    const control = new AbortController();
    let given = 0;
    async function* endless() {
      for (;;) {
        given += 1;
        if (given === 3) control.abort(reason);
        yield "ab ";
      }
    }
    const common = { ...asked, problems: endless(), signal: control.signal };
    const run = evaluate({ service: service(), sampler: POCKET_MODEL, ...common, score: () => 1 });
    await expect(run).rejects.toMatchObject({ name: "AbortedError" });
    expect(given).toBeLessThan(5);
  });
});

it("a run whose signal was aborted before makes no folder", async () => {
  const runDirectory = join(temporaryDirectory(), "run");
  const run = sft({ ...settings(), train, runDirectory, signal: AbortSignal.abort(reason) });
  await expect(run).rejects.toMatchObject({
    name: "AbortedError",
    message: "sft was aborted",
    cause: reason,
  });
  expect(existsSync(runDirectory)).toBe(false);
});

describe("evaluators", { timeout: 240_000 }, () => {
  it.each([
    ["abc", "must be an object"],
    [[1], "must be an object"],
    [{ accuracy: "0.5" }, '.accuracy must be a number, got "0.5"'],
  ])("that give %j are named, with what metrics are", async (given, fault) => {
    const evaluators = [() => ({ fine: 1 }), () => given] as never; // as plain JavaScript gives it
    await expect(sft({ ...settings(), train, evaluators })).rejects.toThrow(
      `sft: the metrics of evaluators[1]${fault.startsWith(".") ? "" : " "}${fault}`,
    );
  });

  it("may give nothing, or a name without a value", async () => {
    const evaluators = [
      () => undefined,
      () => ({ none: undefined, some: 2 }),
    ] as unknown as readonly (() => object)[];
    const { metrics } = await sft({ ...settings(), maxSteps: 1, train, evaluators: evaluators as never });
    expect(metrics.some).toBe(2);
    expect("none" in metrics).toBe(false);
  });
});

describe("problems that hold themselves", { timeout: 240_000 }, () => {
  const problem: { text: string; self?: unknown } = { text: "ab " };
  problem.self = problem;
  const held = { problems: [problem], prompt: ({ text }: typeof problem) => text, maxTokens: 2 };

  it("are answered where nothing of them is written", async () => {
    const measured = await evaluate({ service: service(), sampler: POCKET_MODEL, ...held, score: () => 1 });
    expect(measured.problems).toHaveLength(1);
    const { batchSize: _, ...training } = settings();
    const trained = await rl({ ...training, ...held, groupSize: 2, groupsPerBatch: 1, reward: () => 1 });
    expect(trained.steps).toBe(1);
  });

  it("are refused by their place where there is a file", async () => {
    const file = join(temporaryDirectory(), "answers.jsonl");
    const common = { service: service(), sampler: POCKET_MODEL, file, maxTokens: 2 };
    const refused = " must be plain data that does not hold itself";
    await expect(evaluate({ ...common, ...held, score: () => 1 })).rejects.toThrow(
      `evaluate: problems[0]${refused}`,
    );
    const content = [{ role: "user", content: problem }] as never;
    await expect(generate({ ...common, prompts: ["ab", content] })).rejects.toThrow(
      `generate: prompts[1]${refused}`,
    );
  });
});

it("measuring and generating take a temperature of 0, at which all answers are the likeliest", async () => {
  const common = { service: service(), sampler: POCKET_MODEL, temperature: 0, maxTokens: 4 };
  const { problems } = await evaluate({ ...asked, ...common, samples: 2, score: () => 1 });
  const texts = problems.flatMap(({ answers }) => answers.map(({ text }) => text));
  const { answers } = await generate({ ...common, prompts: asked.problems, seed: 9 });
  expect(new Set([...texts, answers[0]?.replies[0]?.text]).size).toBe(1);
}, 240_000);

function fail(): never {
  throw new Error("there is no example");
}
