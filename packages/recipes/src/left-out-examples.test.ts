import type { Datum } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { evaluate, fineTune, type RecipeEvent, sft } from "./index.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";
import { spiedService } from "./testing/spied-service.js";

const { service } = localService();
const settings = () => ({ service: service(), model: POCKET_MODEL, rank: 4, learningRate: 1e-3 });
const answered = { prompt: "abc", completion: " de\n" };
const unanswered = { prompt: "abc", completion: "" };

function datumOf(targets: readonly number[], weights: readonly number[] = targets.map(() => 1)): Datum {
  return {
    model_input: { chunks: [{ type: "encoded_text", tokens: [1, 2] }] },
    loss_fn_inputs: {
      target_tokens: { data: Int32Array.from(targets), dtype: "int64", shape: [targets.length] },
      weights: { data: Float32Array.from(weights), dtype: "float32", shape: [weights.length] },
    },
  };
}

async function warningsOf(run: AsyncIterable<{ readonly type: string }>): Promise<string[]> {
  const warnings: string[] = [];
  for await (const event of run as AsyncIterable<RecipeEvent>)
    if (event.type === "warning") warnings.push(event.message);
  return warnings;
}

describe("examples without a token to train on", { timeout: 240_000 }, () => {
  it("are left out of the batch of a small file too, which would want one more than there are", async () => {
    const job = fineTune({ ...settings(), train: [answered, unanswered, answered] });
    expect(await warningsOf(job)).toEqual(["1 of 3 examples have no token to train on, and are left out"]);
    const { metrics, steps } = await job;
    expect([steps, metrics.num_sequences, metrics["datums/dropped"]]).toEqual([1, 2, 1]);
  });

  it("are left out where they are datums, whose weights are all 0", async () => {
    const run = sft({ ...settings(), batchSize: 1, train: [datumOf([2, 3], [0, 0]), datumOf([2, 3])] });
    const { metrics, steps } = await run;
    expect([steps, metrics["datums/dropped"], metrics.num_loss_tokens]).toEqual([1, 1, 2]);
    expect(metrics.train_mean_nll).toBeGreaterThan(0);
  });

  it("are told of where they are held out, and no loss of none is measured", async () => {
    const test = [unanswered, { prompt: "abcd", completion: "" }];
    const told = "2 of 2 examples of test have no token to measure, and are left out";
    const run = sft({ ...settings(), batchSize: 1, train: [answered], test });
    expect(await warningsOf(run)).toEqual([told]);
    const report = evaluate({ service: service(), sampler: POCKET_MODEL, test });
    expect(await warningsOf(report)).toEqual([told]);
    expect((await report).metrics).toEqual({});
  });
});

describe("datums that no pass can be made of", () => {
  const unfit: readonly (readonly [fault: string, datum: object])[] = [
    ["model_input must be an object", { ...datumOf([2, 3]), model_input: [1, 2] }],
    [
      "model_input must have at least one token, got none",
      { ...datumOf([2, 3]), model_input: { chunks: [] } },
    ],
    ["loss_fn_inputs must be an object", { model_input: datumOf([]).model_input }],
    ["loss_fn_inputs.target_tokens is missing", { ...datumOf([]), loss_fn_inputs: {} }],
    [
      "loss_fn_inputs.target_tokens must have a target for each of the 2 positions, got 3",
      datumOf([2, 3, 4]),
    ],
    ["loss_fn_inputs.weights must have as many elements as target_tokens, 2, got 1", datumOf([2, 3], [1])],
  ];
  it.each(unfit)(
    "are named by their place among the examples before a step is sent: %s",
    async (fault, datum) => {
      const calls: string[] = [];
      const spied = spiedService(service(), (call) => calls.push(call));
      // Examples are taken for what they say they are.
      const train = [datumOf([2, 3]), datum as Datum];
      await expect(sft({ ...settings(), service: spied, batchSize: 1, train })).rejects.toThrow(
        `sft: train[1]: an example.${fault}`,
      );
      expect(calls.filter((call) => /forward|optim/.test(call))).toEqual([]);
      await expect(evaluate({ service: service(), sampler: POCKET_MODEL, test: train })).rejects.toThrow(
        `evaluate: test[1]: an example.${fault}`,
      );
    },
  );
});
