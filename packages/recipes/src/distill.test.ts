import { join } from "node:path";
import { RunReader } from "@tinkex/runs";
import type { Datum } from "@tinkex/types";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { scoreTargets } from "./datum/document-of.js";
import { type DistillOptions, distill, type RecipeEvent, type Reply, rl, sft } from "./index.js";
import { distilledExamples } from "./rollout/distilled-examples.js";
import type { Trajectory } from "./rollout/rollout-rules.js";
import { topKExamples } from "./rollout/top-k-examples.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";
import { qwen3Tokenizer } from "./testing/recorded-numbers.js";
import { spiedService } from "./testing/spied-service.js";

const { service } = localService();
const WORDS = "ant bee cat dog elk fox gnu hen".split(" ");
const base = (more: Partial<DistillOptions<string>> = {}) =>
  ({
    ...{ service: service(), model: POCKET_MODEL, teacher: POCKET_MODEL, problems: WORDS, rank: 8, seed: 1 },
    ...{ prompt: (word: string) => `${word}:`, maxTokens: 8, stop: ["\n"], learningRate: 5e-3 },
    ...{ groupSize: 4, groupsPerBatch: 8 },
    ...more,
  }) as DistillOptions<string>;

async function metricsOf(run: AsyncIterable<RecipeEvent>) {
  const rows: Readonly<Record<string, number>>[] = [];
  for await (const event of run) if (event.type === "step") rows.push(event.metrics);
  return rows;
}

let trained: Promise<string> | undefined;

/** Weights of a teacher that says each word twice, made once for all tests. */
function teacherPath(): Promise<string> {
  const train = WORDS.map((word) => ({ prompt: `${word}:`, completion: ` ${word}${word}\n` }));
  trained ??= sft({
    ...{ service: service(), model: POCKET_MODEL, train, rank: 8, seed: 1, learningRate: 5e-3 },
    ...{ batchSize: 8, epochs: 5, evaluateEvery: 0, schedule: "constant" },
  }).then(({ checkpoint }) => checkpoint.samplerPath);
  return trained;
}

describe("distill", { timeout: 240_000 }, () => {
  it("cookbook 24: the student comes nearer to its teacher, whose opinion alone it learns from", async () => {
    const calls: string[] = [];
    const spy = spiedService(service(), (call) => calls.push(call));
    const run = distill({ ...base(), service: spy, teacher: await teacherPath(), steps: 5, groupSize: 2 });
    const rows = await metricsOf(run);
    expect(rows).toHaveLength(5);
    expect(Number(rows[4]?.teacher_kl)).toBeLessThan(0.7 * Number(rows[0]?.teacher_kl));
    // Rewards are all 0, and every group teaches.
    expect(rows[0]).toMatchObject({ "env/all/reward/total": 0, "groups/dropped": 0, "optim/skipped": 0 });
    expect(Math.abs(Number(rows[0]?.["optim/kl_sample_train_v1"]))).toBeLessThan(1e-4);
    expect(calls.filter((call) => call === "computeLogprobs")).toHaveLength(5 * 16);
    expect((await run).checkpoint.name).toBe("final");
  });

  it("learns the teacher's likeliest tokens at each position of its own answers, where topK is given", async () => {
    const losses: unknown[] = [];
    const shapes: unknown[] = [];
    const spy = spiedService(service(), (call, [data, loss]) => {
      if (call !== "forwardBackward") return;
      losses.push(loss);
      const datums = data as readonly Datum[]; // as the loop sends them
      shapes.push(...datums.map(({ loss_fn_inputs }) => loss_fn_inputs.target_tokens?.shape?.[1]));
    });
    const runDirectory = join(temporaryDirectory(), "run");
    const more = {
      service: spy,
      teacher: await teacherPath(),
      topK: 5,
      steps: 4,
      groupSize: 2,
      runDirectory,
    };
    const rows = await metricsOf(distill({ ...base(), ...more }));
    expect(losses).toEqual(new Array(4).fill("cross_entropy"));
    expect(new Set(shapes)).toEqual(new Set([5]));
    expect(Number(rows[3]?.teacher_kl)).toBeLessThan(0.7 * Number(rows[0]?.teacher_kl));
    expect(Number(rows[3]?.train_mean_nll)).toBeLessThan(Number(rows[0]?.train_mean_nll));
    for (const row of rows) {
      expect(row["teacher/top_k_mass"]).toBeGreaterThan(0.5);
      expect(row["teacher/top_k_mass"]).toBeLessThanOrEqual(1.000001);
    }
    // Viewers are given the text of each token that was sampled.
    const [logged] = await new RunReader(runDirectory).rolloutTokens(0);
    expect(logged?.tokens).toHaveLength(logged?.mask.length ?? -1);
  });

  it("of itself has nothing to learn: the distance to the teacher is 0", async () => {
    const [row] = await metricsOf(
      distill(base({ steps: 1, reward: (_: string, reply: Reply) => reply.tokens.length } as never)),
    );
    expect(Math.abs(Number(row?.teacher_kl))).toBeLessThan(1e-4);
    // The reward is measured beside it.
    expect(row?.["env/all/reward/total"]).toBeGreaterThan(0);
  });
});

it("each sampled token's advantage is the teacher's log-probability less the student's, and what was shown has none", async () => {
  const member = (tokens: number[]): Trajectory => ({
    transitions: [{ prompt: [1, 2], tokens, logprobs: tokens.map(() => -1) }],
    ...{ replies: [], reward: 0, metrics: {}, limit: undefined },
  });
  const { data, metrics } = await distilledExamples(
    [[member([5, 6]), member([7])], []],
    async (datum) =>
      Array.from(datum.loss_fn_inputs.target_tokens?.data ?? [], Number).map((token) => -token),
    { coefficient: 2 },
  );
  expect(data.map((group) => group.length)).toEqual([2, 0]);
  const advantages = data[0]?.map((examples) => examples.map((one) => Array.from(one.advantages)));
  // Targets are 2, 5, 6 and 2, 7; the prompt's own is no sample.
  expect(advantages).toEqual([[[-0, -8, -10].map((value) => value || 0)], [[0, -12]]]);
  expect(data[0]?.[0]?.[0]?.datum.loss_fn_inputs.advantages?.data).toEqual(data[0]?.[0]?.[0]?.advantages);
  expect(metrics.teacher_kl).toBeCloseTo((4 + 5 + 6) / 3, 6);
});

/** One answer of two tokens to a prompt of two. */
const answered: Trajectory = {
  transitions: [{ prompt: [1, 2], tokens: [5, 6], logprobs: [-1, -2] }],
  ...{ replies: [], reward: 0, metrics: {}, limit: undefined },
};

it("a datum of the teacher's likeliest tokens has its probabilities on sampled tokens, none on what was shown, and rows of one length", async () => {
  const half = Math.log(0.5);
  const asked: unknown[] = [];
  const sample = async (params: object) => {
    asked.push(params);
    return {
      prompt_logprobs: [null, -1, -3, -4],
      topk_prompt_logprobs: [
        null,
        [
          [9, -1],
          [8, -1],
        ],
        [
          [5, half],
          [4, half],
        ],
        [[6, half]],
      ],
    };
  };
  const options = { coefficient: 2, topK: 2 };
  const { data, softDatums, metrics } = await topKExamples(
    [[answered]],
    { sample } as never,
    options,
    undefined,
  ); // no more is used of it
  expect(asked).toMatchObject([{ prompt_logprobs: true, topk_prompt_logprobs: 2, num_samples: 1 }]);
  expect(data.flat(2)).toHaveLength(1);
  const { target_tokens, weights } = softDatums?.[0]?.loss_fn_inputs ?? {};
  expect(target_tokens?.shape).toEqual([3, 2]);
  expect(Array.from(target_tokens?.data ?? [], Number)).toEqual([9, 8, 5, 4, 6, 6]);
  expect(Array.from(weights?.data ?? [], Number)).toEqual([0, 0, 1, 1, 2, 0]);
  expect(metrics.teacher_kl).toBeCloseTo((3 - 1 + (4 - 2)) / 2, 6);
  expect(metrics["teacher/top_k_mass"]).toBeCloseTo((1 + 0.5) / 2, 6);
});

it.each([
  ["no likeliest tokens", undefined],
  ["none for a token", [null, null, null, null]],
])("a teacher that gives %s is named", async (_, topk_prompt_logprobs) => {
  const sample = async () => ({ prompt_logprobs: [null, -1, -3, -4], topk_prompt_logprobs });
  const taught = topKExamples([[answered]], { sample } as never, { topK: 2 }, undefined); // no more is used of it
  await expect(taught).rejects.toThrow(/distill: the teacher gave no likeliest tokens for token 1 of a text/);
});

it.each([
  [
    "no log-probability",
    [null, -1, null, -1],
    /gave no log-probability for token 2 of a text that it was to score/,
  ],
  [
    "the probability 0",
    [null, -1, Number.NEGATIVE_INFINITY, -1],
    /gave the token 2 of an answer the log-probability -Infinity/,
  ],
  ["fewer log-probabilities than tokens", [null, -1], /gave 2 log-probabilities for a text of 4 tokens/],
])(
  "a teacher that gives %s ends the run with its name, before anything is sent",
  async (_, scores, fault) => {
    const member: Trajectory = {
      transitions: [{ prompt: [1, 2], tokens: [5, 6], logprobs: [-1, -1] }],
      ...{ replies: [], reward: 0, metrics: {}, limit: undefined },
    };
    const taught = distilledExamples([[member]], (datum) => scoreTargets(datum, async () => scores), {});
    await expect(taught).rejects.toThrow(fault);
  },
);

it("asks for the learning rate of a model that nobody measured, and for a teacher of the same tokenizer", async () => {
  expect(() => distill(base({ model: "acme/qwen-9", learningRate: undefined }))).toThrow(
    /give a learningRate/,
  );
  const { teacher: _, ...rest } = base();
  const unknown = { ...rest, model: "acme/qwen-9", learningRate: undefined, reward: () => 1 };
  expect(() => rl(unknown as never)).toThrow(/give a learningRate/);
  const teacher = await service().createSamplingClient({ base_model: POCKET_MODEL });
  const other = new Proxy(teacher, {
    get: (target, name) => {
      if (name === "getTokenizer") return async () => qwen3Tokenizer();
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const refused = distill(base({ teacher: other, steps: 1, groupSize: 1, groupsPerBatch: 1 }));
  await expect(refused).rejects.toThrow(
    /distill: teacher must have the student's tokenizer, of \d+ tokens, got one of 15\d+/,
  );
});

it("refuses a teacher that is none, and weights that teach nothing", () => {
  expect(() => distill(base({ teacher: 3 as never }))).toThrow(/distill: teacher must be a sampling client/);
  expect(() => distill(base({ klCoefficient: 0 }))).toThrow(/klCoefficient must be above 0, got 0/);
  expect(() => distill(base({ klDiscount: 2 }))).toThrow(/klDiscount must be from 0 to 1, got 2/);
  expect(() => distill(base({ topK: 0 }))).toThrow(/topK must be a whole number from 1, got 0/);
  expect(() => distill(base({ topK: 5, lossFn: "ppo" }))).toThrow(/give topK, or lossFn, and not both/);
  expect(() => distill(base({ topK: 5, klDiscount: 0.9 }))).toThrow(/give topK, or klDiscount, and not both/);
  expect(() => distill({ ...base(), prompt: undefined } as never)).toThrow(
    /distill: prompt must be a function/,
  );
});
