import { describe, expect, it } from "vitest";
import {
  bitsPerByte,
  discountedFutureSum,
  dpoLoss,
  groupAdvantages,
  isConstantGroup,
  klMetrics,
  klPenalty,
  learningRateFor,
  loraParameters,
  meanNll,
  passAtK,
  reverseKlAdvantages,
  rolloutMetrics,
  schedule,
  splitSizes,
  stepKlMetrics,
  topKDatum,
  topKReverseKl,
  tournamentPairs,
  trajectoryDatums,
} from "./index.js";
import {
  expectClose,
  qwen3Tokenizer,
  type RecordedPolicyDatum,
  type RecordedSpan,
  recorded,
  referenceLogprob,
} from "./testing/recorded-numbers.js";

describe("supervised", () => {
  const { target_tokens: targets, logprobs, ...numbers } = recorded.nll_bpb;

  it("cookbook 13: mean NLL and bits per byte are those of the cookbook, whatever the weights are divided by", () => {
    const tokenizer = qwen3Tokenizer();
    for (const kind of ["none", "mean"] as const) {
      const datum = { logprobs, weights: numbers[`weights_${kind}`], targets };
      expectClose([meanNll([datum])], [numbers[`mean_nll_${kind}`]]);
      expectClose([bitsPerByte([datum], tokenizer)], [numbers[`bpb_${kind}`]]);
    }
    expect(meanNll([{ logprobs: [-Infinity], weights: [0] }])).toBeNaN();
    expect(meanNll([{ logprobs: [-Infinity, -1], weights: [0, 2] }])).toBe(1);
  });

  it("cookbook 13: schedules are those of the cookbook, to the last bit", () => {
    for (const { schedule: name, step, total, multiplier } of recorded.lr_schedule) {
      expect(schedule(name, step, total)).toBe(multiplier);
    }
  });

  it.each(Object.entries(recorded.get_lr))(
    "cookbook 13: learning rate and size of an adapter of %s",
    (model, wanted) => {
      for (const [isLora, rate] of [
        [true, wanted.lora],
        [false, wanted.full],
      ] as const) {
        if (rate === undefined) continue;
        if (typeof rate === "number") expect(learningRateFor(model, { isLora })).toBe(rate);
        else expect(() => learningRateFor(model, { isLora })).toThrow(/give a learningRate, e\.g\. 1e-4/);
      }
      if (wanted.lora_params_rank32 === undefined) return;
      expect(loraParameters(model)).toBe(wanted.lora_params_rank32);
      const onlyAttention = { trainMlp: false, trainUnembed: false };
      expect(loraParameters(model, onlyAttention)).toBe(wanted.lora_params_rank32_attn_only);
      expect(loraParameters(model, { ...onlyAttention, rank: 64 })).toBe(
        2 * loraParameters(model, onlyAttention),
      );
    },
  );

  it("cookbook 13: a model that is not in the table has no learning rate, and the error asks for one", () => {
    expect(recorded.get_lr).toHaveProperty(["Qwen/Qwen3-8B:some-suffix"]);
    expect(() => learningRateFor("acme/qwen-9")).toThrow(
      /"acme\/qwen-9" is not in the table of models; give a learningRate/,
    );
    expect(() => loraParameters("acme/qwen-9")).toThrow(/is not in the table of models/);
    expect(() => learningRateFor("constructor")).toThrow(/is not in the table/);
  });
});

/** A datum of ours, in the form of the recording. */
function plainDatum({ datum, mask }: ReturnType<typeof trajectoryDatums>[number]) {
  const { model_input, loss_fn_inputs, model_input_spans, loss_fn_input_spans } = datum;
  const tensors = { ...loss_fn_inputs, mask: { data: mask, dtype: "float32", shape: [mask.length] } };
  return {
    input: model_input.chunks.flatMap((chunk) => ("tokens" in chunk ? Array.from(chunk.tokens) : [])),
    ...Object.fromEntries(
      Object.entries(tensors).map(([name, { data, ...rest }]) => [
        name,
        { data: Array.from(data, Number), ...rest },
      ]),
    ),
    model_input_spans: model_input_spans ?? null,
    loss_fn_input_spans: loss_fn_input_spans ?? null,
  };
}

const plainSpans = (spans: readonly RecordedSpan[] | null) =>
  spans?.map(({ kind, ...span }) => ({
    type: kind === "PromptProvenanceSpan" ? "prompt_tokens" : "sampled_tokens",
    ...span,
  })) ?? null;

describe("trajectoryDatums", () => {
  it.each(Object.entries(recorded.trajectory_to_data))(
    "cookbook 21: %s",
    (_, { transitions, advantage, data }) => {
      const found = trajectoryDatums(
        transitions.map(({ ob, ac, logprobs, sequence_id, metrics }) => ({
          prompt: ob,
          tokens: ac,
          logprobs,
          sequenceId: sequence_id ?? undefined,
          isMasked: metrics.parse_error_masked === 1,
        })),
        advantage,
      );
      expect(found.map(plainDatum)).toEqual(
        data.map((datum) => ({
          ...datum,
          model_input_spans: plainSpans(datum.model_input_spans),
          loss_fn_input_spans: plainSpans(datum.loss_fn_input_spans),
        })),
      );
    },
  );
});

describe("advantages and rollouts", () => {
  const {
    rewards,
    advantages,
    kept_after_remove_constant: kept,
    trajectory_metrics: metrics,
  } = recorded.advantages;

  it("cookbook 21: advantages are rewards less the mean of their group, and constant groups are found", () => {
    for (const [index, group] of rewards.entries())
      expectClose(groupAdvantages(group), advantages[index] ?? []);
    expect(rewards.flatMap((group, index) => (isConstantGroup(group) ? [] : [index]))).toEqual(kept);
  });

  it("cookbook 21: metrics of rollouts, for all and for each tag", () => {
    const groups = rewards.map((group, index) => ({
      tags: [index < 2 ? "a" : "b"],
      trajectories: group.map((reward) => ({ reward, turns: [{ observationTokens: 2, actionTokens: 1 }] })),
    }));
    const found = rolloutMetrics(groups);
    // Tokens that the server had in its cache are counted with those of a run.
    const wanted = Object.entries(metrics).filter(([name]) => !name.endsWith("/total_cached_ob_tokens"));
    expect(Object.fromEntries(wanted.map(([name]) => [name, found[name]]))).toEqual(
      Object.fromEntries(wanted),
    );
  });
});

/** Sampled log-probabilities and mask of a recorded datum, with what the recorded reference gives its targets. */
const scored = (datum: RecordedPolicyDatum) => ({
  logprobs: datum.logprobs.data,
  mask: datum.mask.data,
  reference: datum.target_tokens.data.map(referenceLogprob),
});

describe("KL", () => {
  const { data, training_logprobs: trained, metrics } = recorded.kl_sample_train;

  it("cookbook 21: distance of sampler and trainer, and of the weights before and after a step", () => {
    const found = klMetrics(
      data.map((datum, index) => ({ ...scored(datum), reference: trained[index] ?? [] })),
    );
    expect(Object.keys(found)).toEqual(Object.keys(metrics));
    expectClose(Object.values(found), Object.values(metrics));
    const stepKl = stepKlMetrics(data.map(scored));
    expect(Object.keys(stepKl)).toEqual(Object.keys(recorded.post_kl));
    expectClose(Object.values(stepKl), Object.values(recorded.post_kl));
  });

  it.each(recorded.kl_penalty_vs_base.cases)(
    "cookbook 21: penalty of $kl_penalty_coef, discount $kl_discount_factor",
    (wanted) => {
      const options = {
        coefficient: wanted.kl_penalty_coef,
        discount: wanted.kl_discount_factor,
        onObservations: true,
      };
      const { advantages, meanDifference } = klPenalty(data.map(scored), options);
      expectClose([meanDifference], [wanted.metrics.kl_policy_base ?? 0]);
      for (const [index, row] of advantages.entries()) {
        const total = row.map((value, place) => value + (data[index]?.advantages.data[place] ?? 0));
        expectClose(total, wanted.advantages[index] ?? []);
      }
    },
  );

  it.each(recorded.on_policy_distillation.cases)(
    "cookbook 21: distillation of $kl_penalty_coef, discount $kl_discount_factor",
    (wanted) => {
      const options = {
        coefficient: wanted.kl_penalty_coef,
        discount: wanted.kl_discount_factor,
        onObservations: true,
      };
      const { advantages, meanDifference } = reverseKlAdvantages(data.map(scored), options);
      expectClose([meanDifference], [wanted.metrics.teacher_kl ?? 0]);
      for (const [index, row] of advantages.entries()) expectClose(row, wanted.advantages[index] ?? []);
      for (const [index, datum] of data.entries()) {
        const { meanDifference: own } = reverseKlAdvantages([scored(datum)]);
        expectClose([own], [wanted.metrics[`teacher_kl/dataset_${index}`] ?? 0]);
      }
    },
  );

  it("cookbook 23: with a discount, positions that were not sampled keep no advantage, unless the cookbook's numbers are wanted", () => {
    for (const build of [reverseKlAdvantages, klPenalty]) {
      const ours = build(data.map(scored), { discount: 0.9 }).advantages;
      const theirs = build(data.map(scored), { discount: 0.9, onObservations: true }).advantages;
      for (const [index, row] of ours.entries()) {
        const mask = data[index]?.mask.data ?? [];
        expect(row.filter((_, place) => mask[place] === 0)).toEqual(mask.filter((is) => is === 0));
        expect(row.filter((_, place) => mask[place] === 1)).toEqual(
          theirs[index]?.filter((_, place) => mask[place] === 1),
        );
      }
      expect(
        theirs
          .flat()
          .filter((_, place) => data.flatMap(({ mask }) => mask.data)[place] === 0)
          .some((value) => value !== 0),
      ).toBe(true);
    }
  });

  it("cookbook 21: discounted sums of what follows", () => {
    const { x, "gamma_0.5": half, gamma_1: whole } = recorded.discounted_future_sum;
    expect(discountedFutureSum(x, 0.5)).toEqual(half);
    expect(discountedFutureSum(x, 1)).toEqual(whole);
  });
});

describe("preferences and distillation", () => {
  it("cookbook 21: the loss of DPO, its metrics and its gradients", () => {
    const { beta, chosen, rejected, chosen_ref, rejected_ref, loss, metrics, grad_chosen, grad_rejected } =
      recorded.dpo;
    const pairs = { chosen, rejected, chosenReference: chosen_ref, rejectedReference: rejected_ref };
    const found = dpoLoss(pairs, beta);
    expectClose([found.loss], [loss]);
    expect(Object.keys(found.metrics)).toEqual(Object.keys(metrics));
    expectClose(Object.values(found.metrics), Object.values(metrics));
    expectClose(found.chosenGradients, grad_chosen);
    expectClose(found.rejectedGradients, grad_rejected);
    const far = dpoLoss({ chosen: [-1e6], rejected: [0], chosenReference: [0], rejectedReference: [0] }, 1);
    expect(far.loss).toBe(1e6);
    expect(far.chosenGradients).toEqual([-1]);
  });

  it("cookbook 21: reverse KL over the likeliest tokens of a teacher, with gradients", () => {
    const { logprobs, weights, loss, metrics, grad } = recorded.sdft_reverse_kl;
    const found = topKReverseKl(logprobs, weights);
    expectClose([found.loss], [loss]);
    expect(Object.keys(found.metrics)).toEqual(Object.keys(metrics));
    expectClose(Object.values(found.metrics), Object.values(metrics));
    for (const [index, row] of found.gradients.entries()) expectClose(row, grad[index] ?? []);
  });

  it("cookbook 21: a datum of the likeliest tokens of a teacher", () => {
    const { teacher_topk_each_position: topK, ...wanted } = recorded.off_policy_topk_datum;
    const { target_tokens: tokens, weights_none: weights } = recorded.nll_bpb;
    const { loss_fn_inputs } = topKDatum(
      tokens,
      tokens.map(() => topK),
      weights,
    );
    expect(loss_fn_inputs.target_tokens?.shape).toEqual(wanted.target_tokens_shape);
    expect(loss_fn_inputs.weights?.shape).toEqual(wanted.weights_shape);
    const shares = Array.from(loss_fn_inputs.weights?.data ?? [], Number);
    expectClose(shares.slice(0, 2), wanted.weights_row_0);
    const first = 2 * weights.findIndex((weight) => weight > 0);
    expectClose(shares.slice(first, first + 2), wanted.weights_first_trained_row);
  });
});

describe("counting", () => {
  it("cookbook 21: pass@k, parts of a batch, and pairs of a tournament", () => {
    for (const { n, c, k, value } of recorded.pass_at_k) expect(passAtK(n, c, k)).toBe(value);
    for (const { n, k, sizes } of recorded.split_list) expect(splitSizes(n, k)).toEqual(sizes);
    // Two groups of three, one behind the other.
    const ofTwo = (hasBothOrders: boolean) =>
      [0, 3].flatMap((start) =>
        tournamentPairs(3, hasBothOrders).map((pair) => pair.map((member) => member + start)),
      );
    expect(ofTwo(true)).toEqual(recorded.tournament_pairs.all_pairs_both_ways);
    expect(ofTwo(false)).toEqual(recorded.tournament_pairs.all_pairs_one_way);
  });
});
