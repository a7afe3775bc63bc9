import type { SamplingClient, ServiceClient, TrainingClient } from "@tinkex/client";
import type { Datum } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { shuffledOrder } from "./data/shuffle.js";
import { groupAdvantages, isConstantGroup, type RecipeEvent, rl, trajectoryDatums } from "./index.js";
import { seedOf } from "./rollout/seeds.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";
import { spiedService } from "./testing/spied-service.js";

const { service } = localService();
const problems = ["The name of the ", "We saw a ", "It was the ", "There is a "];
const shareOfE = (_: string, { text }: { readonly text: string }) =>
  [...text].filter((letter) => letter === "e").length / Math.max(1, text.length);
const base = () => ({
  ...{ service: service(), model: POCKET_MODEL, problems, rank: 4, seed: 1, learningRate: 5e-3 },
  ...{ groupSize: 4, groupsPerBatch: 2, maxTokens: 4, steps: 2 },
  ...{ prompt: (problem: string) => problem, reward: shareOfE },
});

async function metricsOf(run: AsyncIterable<RecipeEvent>) {
  const rows: Readonly<Record<string, number>>[] = [];
  for await (const event of run) if (event.type === "step") rows.push(event.metrics);
  return rows;
}

/** Runs `rl` and gives the datums of each pass. */
async function passesOf(more: Partial<Parameters<typeof rl<string>>[0]> = {}): Promise<Datum[][]> {
  const passes: Datum[][] = [];
  const spy = spiedService(service(), (call, [data]) => {
    if (call === "forwardBackward") passes.push([...(data as Datum[])]); // as the loop gives it
  });
  await rl({ ...base(), ...more, service: spy } as Parameters<typeof rl<string>>[0]);
  return passes;
}

/** The same two steps written by hand: sample, compare, train. */
async function byHand(training: TrainingClient): Promise<Datum[][]> {
  const passes: Datum[][] = [];
  const tokenizer = await training.getTokenizer();
  for (const step of [0, 1]) {
    const sampler = await training.saveWeightsAndGetSamplingClient();
    const order = shuffledOrder(4, 1, 0).slice(2 * step, 2 * step + 2);
    const data = await Promise.all(
      order.map(async (index, group) => {
        const prompt = tokenizer.encode(problems[index] ?? "", { addSpecialTokens: true });
        const sampling_params = { max_tokens: 4, temperature: 1, seed: seedOf(1, step, group) };
        const { sequences } = await sampler.sample({ prompt, num_samples: 4, sampling_params });
        const rewards = sequences.map(({ tokens }) =>
          shareOfE("", { text: tokenizer.decode(tokens, { skipSpecialTokens: true }) }),
        );
        if (isConstantGroup(rewards)) return [];
        return sequences.flatMap(({ tokens, logprobs = [], sequence_id: sequenceId }, member) =>
          trajectoryDatums([{ prompt, tokens, logprobs, sequenceId }], groupAdvantages(rewards)[member] ?? 0),
        );
      }),
    );
    const pass = data.flat().map(({ datum }) => datum);
    passes.push(pass);
    const [, update] = [
      training.forwardBackward(pass, "importance_sampling"),
      training.optimStep({ learning_rate: 5e-3, beta1: 0.9, beta2: 0.95, eps: 1e-8, weight_decay: 0 }),
    ];
    await update;
  }
  return passes;
}

/** Datums without the names of their samples, which no two runs share. */
const bare = (passes: readonly Datum[][]) =>
  passes.map((data) =>
    data.map(({ model_input, loss_fn_inputs }) => ({
      tokens: model_input.chunks.flatMap((chunk) => ("tokens" in chunk ? Array.from(chunk.tokens) : [])),
      advantages: Array.from(loss_fn_inputs.advantages?.data ?? [], Number),
    })),
  );

describe("rollouts that run ahead of training", { timeout: 240_000 }, () => {
  it("cookbook 27: with 0 steps off-policy the data are those of a loop written by hand, which waits for each step", async () => {
    const training = await service().createLoraTrainingClient({ base_model: POCKET_MODEL, rank: 4, seed: 1 });
    const wanted = bare(await byHand(training));
    const found = bare(await passesOf({ maxStepsOffPolicy: 0 }));
    expect(found.map((data) => data.length)).toEqual(wanted.map((data) => data.length));
    expect(found).toEqual(wanted);
    // One step ahead, the second step learns from answers of the first weights.
    const ahead = bare(await passesOf({ maxStepsOffPolicy: 1 }));
    expect(ahead[0]).toEqual(wanted[0]);
    expect(ahead[1]).not.toEqual(wanted[1]);
  });

  it("cookbook 27: each step says how old the weights were that sampled it", async () => {
    const rows = await metricsOf(
      rl({ ...base(), steps: 3, groupSize: 2, maxStepsOffPolicy: 1, lossFn: "ppo" }),
    );
    expect(rows.map((row) => row["async/staleness_mean"])).toEqual([0, 1, 1]);
    expect(rows.map((row) => row["sampling_client/step_max"])).toEqual([0, 0, 1]);
  });

  it("a failure of rollouts ahead ends the run once they are cleaned up, and leaves nothing behind", async () => {
    let open = 0;
    async function* broken(problem: string) {
      open += 1;
      try {
        yield problem;
        if (problem === problems[2]) throw new Error("no judge");
        return problem.length;
      } finally {
        open -= 1;
      }
    }
    const { prompt: _, reward: __, ...rest } = base();
    await expect(
      rl({ ...rest, groupsPerBatch: 1, steps: 4, maxStepsOffPolicy: 3, episode: broken }),
    ).rejects.toThrow(/^rl: problem 0 of step \d, member \d: no judge$/);
    expect(open).toBe(0);
  });
});

it("evaluators of rl see the weights that a step begins with: they are asked before it samples", {
  timeout: 240_000,
}, async () => {
  const calls: string[] = [];
  const wanted = ["saveWeightsAndGetSamplingClient", "forwardBackward", "optimStep"];
  const spy = spiedService(service(), (call) => {
    if (wanted.includes(call)) calls.push(call);
  });
  const evaluator = async ({ step }: { readonly step: number }) => {
    calls.push(`evaluate ${step}`);
    return { seen: step };
  };
  const run = rl({ ...base(), service: spy, evaluators: [evaluator], evaluateEvery: 1 });
  const rows = await metricsOf(run);
  expect(calls).toEqual(["evaluate 0", ...wanted, "evaluate 1", ...wanted]);
  expect(rows.map(({ seen }) => seen)).toEqual([0, 1]);
});

describe("stable_reinforce", { timeout: 240_000 }, () => {
  it("cookbook 22: is trained on samples of which the service noted more, whose origin reaches it without the mask", async () => {
    const options: unknown[] = [];
    const passes: Datum[][] = [];
    const spy = spiedService(service(), (call, args) => {
      if (call === "saveWeightsAndGetSamplingClient") options.push(args[0]);
      if (call === "forwardBackward") passes.push([...(args[0] as Datum[])]); // as the loop gives it
    });
    await rl({ ...base(), service: spy, steps: 1, lossFn: "stable_reinforce" });
    expect(options[0]).toMatchObject({ record_stability_info: true });
    for (const { loss_fn_inputs, loss_fn_input_spans } of passes.flat()) {
      expect(Object.keys(loss_fn_inputs)).not.toContain("mask");
      expect(loss_fn_input_spans?.some(({ type }) => type === "sampled_tokens")).toBe(true);
    }
    expect(passes.flat().length).toBeGreaterThan(0);
  });

  it("cookbook 22: with one sample of unknown origin is refused before any pass is sent", async () => {
    const calls: string[] = [];
    const spy = spiedService(service(), (call) => calls.push(call));
    const nameless = withoutSequenceIds(spy);
    await expect(rl({ ...base(), service: nameless, steps: 1, lossFn: "stable_reinforce" })).rejects.toThrow(
      /rl: stable_reinforce needs the origin of every sampled token/,
    );
    expect(calls).not.toContain("forwardBackward");
    expect(calls).not.toContain("optimStep");
  });
});

/** A service of an older generation, whose samples have no names. */
function withoutSequenceIds(whole: ServiceClient): ServiceClient {
  const with_ = <Target extends object>(
    target: Target,
    change: (name: string, member: CallableFunction) => unknown,
  ) =>
    new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? change(String(name), member.bind(target)) : member;
      },
    });
  const sampler = (client: SamplingClient) =>
    with_(client, (name, member) =>
      name !== "sample"
        ? member
        : async (...args: unknown[]) => {
            const response = await member(...args);
            return {
              ...response,
              sequences: response.sequences.map(
                ({ sequence_id: _, ...rest }: { sequence_id?: string }) => rest,
              ),
            };
          },
    );
  const training = (client: TrainingClient) =>
    with_(client, (name, member) =>
      name !== "saveWeightsAndGetSamplingClient"
        ? member
        : async (...args: unknown[]) => sampler(await member(...args)),
    );
  return with_(whole, (name, member) =>
    name !== "createLoraTrainingClient"
      ? member
      : async (...args: unknown[]) => training(await member(...args)),
  );
}
