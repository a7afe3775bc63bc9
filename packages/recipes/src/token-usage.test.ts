import { join } from "node:path";
import { RunReader } from "@tinkex/runs";
import { ModelInput } from "@tinkex/types";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { type Metrics, type RecipeEvent, type Reply, rl, sft, TokenUsage } from "./index.js";
import { countedSampler } from "./rollout/counted-sampler.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";

const { service } = localService();
const base = () => ({ service: service(), model: POCKET_MODEL, rank: 4, seed: 1, learningRate: 1e-3 });
const train = ["ant", "bee", "cat", "dog"].map((word) => ({ prompt: `${word}:`, completion: `${word}\n` }));
/** The built-in model reads bytes, and the last token of an example is only a target. */
const TOKENS_OF_STEP = 2 * 7;

async function stepsOf(run: AsyncIterable<RecipeEvent>): Promise<Metrics[]> {
  const steps: Metrics[] = [];
  for await (const event of run) if (event.type === "step") steps.push(event.metrics);
  return steps;
}

describe("tokens of a run", { timeout: 240_000 }, () => {
  it("sft counts what it trains on, step by step and in all, with its cost where there are prices, and goes on counting after a crash", async () => {
    const runDirectory = join(temporaryDirectory(), "run");
    const stop = new AbortController();
    const options = {
      ...base(),
      train,
      batchSize: 2,
      epochs: 2,
      saveEvery: 2,
      runDirectory,
      evaluateEvery: 0,
    };
    const priced = { ...options, tokenPrices: { trained: 1e6 } };
    const onMetrics = (step: number): void => {
      if (step === 2) stop.abort(new Error("enough"));
    };
    await expect(sft({ ...options, onMetrics, signal: stop.signal })).rejects.toThrow();
    const [checkpoint] = await new RunReader(runDirectory).checkpoints();
    // As tinker-cookbook keeps them, which goes on counting from there.
    expect(checkpoint).toMatchObject({ name: "000002", elapsed_tokens: 2 * TOKENS_OF_STEP });
    expect(checkpoint?.cumulative_tokens).toMatchObject({ sampled: 0, trained: 2 * TOKENS_OF_STEP });
    // A price decides no result: the run goes on with another one.
    const steps = await stepsOf(sft(priced));
    expect(steps).toHaveLength(2);
    expect(steps[1]).toMatchObject({
      "tokens/trained": TOKENS_OF_STEP,
      "tokens/sampled": 0,
      "tokens/cumulative/trained": 4 * TOKENS_OF_STEP,
      "cost/step_usd": TOKENS_OF_STEP,
      "cost/cumulative_usd": 4 * TOKENS_OF_STEP,
    });
    const rows = await new RunReader(runDirectory).metrics();
    expect(rows.map((row) => row["tokens/cumulative/trained"])).toEqual(
      [1, 2, 3, 4].map((n) => n * TOKENS_OF_STEP),
    );
    expect(rows[0]).not.toHaveProperty("cost/step_usd");
  });

  it("rl counts each prompt once for the request that draws the answers of a group, and every sampled token", async () => {
    const [step] = await stepsOf(
      rl({
        ...{
          ...base(),
          problems: ["a ", "bcd "],
          prompt: (text: string) => text,
          groupSize: 3,
          groupsPerBatch: 2,
        },
        ...{ maxTokens: 4, steps: 1, reward: (_: string, { tokens }: Reply) => tokens[0] ?? 0, saveEvery: 0 },
      }),
    );
    expect(step).toMatchObject({
      "tokens/sampled": step?.["env/all/total_ac_tokens"],
      "tokens/prefill_uncached": 2 + 4,
      "tokens/prefill_cached": 0,
      "tokens/cumulative/sampled": step?.["tokens/sampled"],
    });
    expect(step?.["tokens/sampled"]).toBe(6 * 4);
    // Each answer with its prompt, but for the last token.
    expect(step?.["tokens/trained"]).toBe(3 * (2 + 4 - 1) + 3 * (4 + 4 - 1));
  });
});

it("counts the tokens that the service had in its cache apart, and nothing of a request that fails", async () => {
  const counts: object[] = [];
  let fails = false;
  const sample = async () => {
    if (fails) throw new Error("no");
    return { sequences: [{ tokens: [1, 2] }, { tokens: [3] }], prompt_cache_hit_tokens: 2 };
  };
  const sampler = countedSampler({ sample } as never, (tokens) => counts.push(tokens)); // no more is used of an answer
  await sampler.sample({ prompt: ModelInput.fromInts([7, 8, 9]), sampling_params: {} });
  fails = true;
  await expect(sampler.sample({ prompt: ModelInput.fromInts([7]), sampling_params: {} })).rejects.toThrow(
    "no",
  );
  expect(counts).toEqual([{ sampled: 3, prefill_cached: 2, prefill_uncached: 1 }]);
});

it("goes on from what was counted before", () => {
  const usage = new TokenUsage(undefined, { sampled: 5, trained: 7 });
  usage.add({ sampled: 1 });
  expect(usage.takeMetrics()).toMatchObject({ "tokens/sampled": 1, "tokens/cumulative/sampled": 6 });
  expect(usage.total).toEqual({ sampled: 6, prefill_cached: 0, prefill_uncached: 0, trained: 7 });
  expect(() => new TokenUsage(undefined, { trained: -1 })).toThrow(/TokenUsage: before.trained must be/);
});
