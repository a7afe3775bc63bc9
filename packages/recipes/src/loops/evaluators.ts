import type { SamplingClient, TrainingClient } from "@tinkex/client";
import type { Datum } from "@tinkex/types";
import { plainNumbers } from "../datum/plain-numbers.js";
import { meanNll } from "../metrics/supervised-metrics.js";
import type { Metrics } from "../run/recipe-event.js";

/** Weights that an evaluator measures. */
export interface EvaluationContext {
  readonly training: TrainingClient;
  /** Makes a sampling client of the weights as they are before the step. */
  readonly sampler: () => Promise<SamplingClient>;
  /** The step that comes next. */
  readonly step: number;
  readonly signal: AbortSignal | undefined;
}

/** Measures the weights before a step, and gives metrics by name. */
export type Evaluator = (context: EvaluationContext) => Metrics | Promise<Metrics>;

/** Times and means of evaluations. */
export interface EvaluationOptions {
  readonly evaluateEvery?: number | undefined;
  readonly evaluators?: readonly Evaluator[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Measures the weights before the steps 0, k, 2k: the loss on held-out data, and what the user's evaluators give. Gives undefined before
 * the other steps.
 */
export function evaluatorOf(
  training: TrainingClient,
  test: readonly Datum[],
  options: EvaluationOptions,
): (step: number) => Promise<Metrics | undefined> {
  const { evaluateEvery = 10, evaluators = [], signal } = options;
  const isNeeded = evaluateEvery > 0 && (test.length > 0 || evaluators.length > 0);
  return async (step) => {
    if (!isNeeded || step % evaluateEvery !== 0) return undefined;
    const sampler = () => training.saveWeightsAndGetSamplingClient({ signal });
    const context = { training, step, signal, sampler: async () => sampler() };
    const results = await Promise.all([
      test.length > 0 ? testNll(training, test, signal) : {},
      ...evaluators.map(async (evaluator) => evaluator(context)),
    ]);
    return Object.assign({}, ...results);
  };
}

async function testNll(training: TrainingClient, test: readonly Datum[], signal: AbortSignal | undefined) {
  const output = await training.forward(test, "cross_entropy", { signal });
  return {
    "test/nll": meanNll(
      test.map((datum, index) => plainNumbers(datum, output.loss_fn_outputs[index]?.logprobs)),
    ),
  };
}
