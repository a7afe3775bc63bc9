import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import {
  type Episode,
  type EvaluateBaseOptions,
  evaluate,
  type OneSampler,
  passAtK,
  type ScoredProblems,
  sft,
} from "./index.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";
import { spiedService } from "./testing/spied-service.js";

const { service } = localService();
const problems = ["The name of the ", "We saw a ", "It was the "];
const scored = {
  problems,
  prompt: (problem: string) => problem,
  score: (_: string, reply: { readonly text: string }) => (reply.text.includes("e") ? 1 : 0),
  maxTokens: 4,
} satisfies ScoredProblems<string>;
const base = (more: Partial<EvaluateBaseOptions> = {}) =>
  ({ service: service(), sampler: POCKET_MODEL, ...scored, seed: 3, ...more }) as EvaluateBaseOptions &
    OneSampler &
    ScoredProblems<string>;

async function eventsOf<Event>(run: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of run) events.push(event);
  return events;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("evaluate", { timeout: 240_000 }, () => {
  it("measures samplers side by side on problems and examples, by the names of the Python cookbook", async () => {
    const client = await service().createSamplingClient({ base_model: POCKET_MODEL });
    const test = [
      { prompt: "ant:", completion: " antant\n" },
      { prompt: "bee:", completion: " bee\n" },
    ];
    const { sampler: _, ...rest } = base();
    const run = evaluate({
      ...rest,
      reduction: "none",
      samplers: { base: POCKET_MODEL, same: client },
      samples: 4,
      passAt: [1, 4],
      test,
    });
    const events = await eventsOf(run);
    const { metrics, problems: answered } = await run;
    expect(events.map(({ type }) => type)).toEqual(["start", ...new Array(6).fill("problem"), "done"]);
    expect(answered.map(({ sampler, index }) => `${sampler} ${index}`)).toEqual(
      ["base", "same"].flatMap((name) => [0, 1, 2].map((index) => `${name} ${index}`)),
    );
    // The same model and seeds: the same answers.
    const own = answered.slice(0, 3).map(({ answers }) => answers);
    expect(answered.slice(3).map(({ answers }) => answers)).toEqual(own);
    for (const [name, value] of Object.entries(metrics)) {
      expect(metrics[name.replace(/^same/, "base")]).toBe(value);
    }
    expect(metrics["base/test/env/all/reward/total"]).toBe(mean(own.flat().map(({ score }) => score)));
    expect(metrics["base/test/env/all/total_episodes"]).toBe(12);
    for (const k of [1, 4]) {
      const chances = own.map((answers) => passAtK(4, answers.filter(({ score }) => score > 0).length, k));
      expect(metrics[`base/test/pass@${k}`]).toBe(mean(chances));
    }
    const tokenizer = await client.getTokenizer();
    const losses: number[] = [];
    let bytes = 0;
    for (const { prompt, completion } of test) {
      const [head, tail] = [
        tokenizer.encode(prompt, { addSpecialTokens: true }),
        tokenizer.encode(completion),
      ];
      const scores = await client.computeLogprobs([...head, ...tail]);
      losses.push(...scores.slice(head.length).map((score) => -Number(score)));
      bytes += completion.length;
    }
    expect(metrics["base/test/nll"]).toBeCloseTo(mean(losses), 5);
    const nats = losses.reduce((sum, loss) => sum + loss, 0);
    expect(metrics["base/test/bpb"]).toBeCloseTo(nats / (Math.LN2 * bytes), 5);
    // A client that was given stays open.
    await client.sample({ prompt: [100], sampling_params: { max_tokens: 1 } });
  });

  it("has no more problems under way than concurrency says", async () => {
    let active = 0;
    let most = 0;
    async function* counted(problem: string): Episode {
      active += 1;
      most = Math.max(most, active);
      try {
        const { text } = yield problem;
        return text.length;
      } finally {
        active -= 1;
      }
    }
    const many = Array.from({ length: 7 }, (_, index) => `${index} `);
    const { metrics } = await evaluate({
      ...{ service: service(), sampler: POCKET_MODEL, maxTokens: 2, concurrency: 2 },
      ...{ problems: many, episode: counted },
    });
    expect(most).toBe(2);
    expect(metrics["test/env/all/total_episodes"]).toBe(7);
  });

  it("with a file does not ask again what was answered before it was stopped, and gives the same report", async () => {
    const file = join(temporaryDirectory(), "answers.jsonl");
    const whole = await evaluate(base());
    const controller = new AbortController();
    const stopped = evaluate(base({ file, concurrency: 1, signal: controller.signal }));
    await expect(
      (async () => {
        for await (const event of stopped) if (event.type === "problem") controller.abort(new Error("stop"));
      })(),
    ).rejects.toThrow("evaluate was aborted");
    const before = readFileSync(file, "utf8").split("\n").filter(Boolean).length;
    expect(before).toBeGreaterThanOrEqual(1);
    expect(before).toBeLessThan(3);
    let asked = 0;
    const { sampler: _, ...rest } = base({ file });
    const spy = spiedService(service(), (call) => {
      if (call === "sample") asked += 1;
    });
    const found = await evaluate({ ...rest, service: spy, sampler: POCKET_MODEL });
    expect(asked).toBe(3 - before);
    expect(found).toEqual(whole);
    await expect(evaluate(base({ file, maxTokens: 5 } as never))).rejects.toThrow(
      /evaluate: file has the answers to another prompt, or with other options, at 0; choose another file/,
    );
  });

  it("measures the loss of examples as sft does: each counts the same, unless reduction says that each token does", async () => {
    const train = ["ant:", "a much longer prompt:"].map((prompt) => ({ prompt, completion: `${prompt}\n` }));
    for (const reduction of ["mean", "none"] as const) {
      const run = sft({
        ...{ service: service(), model: POCKET_MODEL, train, test: train, rank: 4, learningRate: 1e-4 },
        ...{ batchSize: 2, evaluateEvery: 1, saveEvery: 0, reduction },
      });
      const evaluations = (await eventsOf(run)).flatMap((event) =>
        event.type === "eval" ? [event.metrics] : [],
      );
      const { metrics } = await evaluate({
        service: service(),
        sampler: POCKET_MODEL,
        test: train,
        reduction,
      });
      expect(evaluations).toHaveLength(1);
      for (const name of ["test/nll", "test/bpb"]) {
        expect(metrics[name]).toBeGreaterThan(0);
        expect(evaluations[0]?.[name]).toBeCloseTo(Number(metrics[name]), 5);
      }
    }
  });

  it("with a file asks a problem again whose answers failed, and takes problems that JSON cannot hold", async () => {
    const file = join(temporaryDirectory(), "answers.jsonl");
    const odd = problems.map((text, index) => ({
      text,
      size: BigInt(index),
      isGood: (score: number) => score > 0,
    }));
    let failing = true;
    const judged: bigint[] = [];
    const measure = () =>
      evaluate({
        ...{
          service: service(),
          sampler: POCKET_MODEL,
          problems: odd,
          maxTokens: 2,
          file,
          onFailure: "continue",
        },
        prompt: ({ text }) => text,
        score: ({ size }) => {
          judged.push(size);
          return failing && size === 1n ? Number.NaN : 1;
        },
      });
    expect((await measure()).metrics["test/problems/failed"]).toBe(1);
    failing = false;
    judged.length = 0;
    expect((await measure()).metrics["test/problems/failed"]).toBe(0);
    expect(judged).toEqual([1n]);
  });

  it("names all examples at once that it cannot measure", async () => {
    const test = [{ prompt: 1 }, { prompt: "a", completion: "b" }, {}] as never;
    await expect(evaluate({ service: service(), sampler: POCKET_MODEL, test })).rejects.toThrow(
      /^evaluate: test\[0\]: .*; evaluate: test\[2\]: /,
    );
  });

  it("names the problem of a score that is none, and leaves it out under the policy continue", async () => {
    const score = (problem: string) => (problem === problems[1] ? Number.NaN : 1);
    await expect(evaluate({ ...base(), score })).rejects.toThrow(
      /^evaluate: problem 1, member 0: the reward must be a finite number, got NaN$/,
    );
    const { metrics, problems: answered } = await evaluate({ ...base(), score, onFailure: "continue" });
    expect(metrics).toMatchObject({ "test/problems/failed": 1, "test/env/all/reward/total": 1 });
    expect(answered[1]?.answers).toEqual([]);
  });
});

it("refuses what it cannot measure with, before anything is sent", () => {
  const sampler = "tinkex/pocket-1";
  expect(() => evaluate({ sampler, ...scored })).toThrow(/evaluate: service must be/);
  const good = { service: service(), ...scored };
  expect(() => evaluate(good as never)).toThrow(/evaluate: give sampler, or samplers, and not both/);
  const client = { sample: () => {} } as never;
  expect(() => evaluate({ ...good, samplers: { client }, file: "a.jsonl" })).toThrow(
    /evaluate: samplers\.client must be the path of a checkpoint or the name of a model where there is a file/,
  );
  expect(() => evaluate({ ...good, samplers: {} })).toThrow(/samplers must name at least one/);
  expect(() => evaluate({ ...good, sampler, samples: 2, passAt: [3] })).toThrow(
    /from 1 to samples, 2, got 3/,
  );
  expect(() => evaluate({ service: service(), sampler } as never)).toThrow(/give problems, or test, or both/);
  expect(() => evaluate({ ...good, sampler, maxTokens: undefined } as never)).toThrow(
    /maxTokens must be given/,
  );
});
