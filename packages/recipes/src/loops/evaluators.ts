import { checkArray, checkFunction, systemClock, type Tokenizer, waitFor } from "@tinkex/base";
import type { SamplingClient, TrainingClient } from "@tinkex/client";
import type { Datum } from "@tinkex/types";
import { plainNumbers } from "../datum/plain-numbers.js";
import { checkedMetrics } from "../metrics/checked-metrics.js";
import { bitsPerByte, meanNll } from "../metrics/supervised-metrics.js";
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

/** @throws ValidationError for what is no list of functions */
export function checkEvaluators(evaluators: readonly Evaluator[] | undefined, place: string): void {
  if (evaluators === undefined) return;
  checkArray(evaluators, place);
  for (const [index, evaluator] of evaluators.entries()) checkFunction(evaluator, `${place}[${index}]`);
}

/** Times and means of evaluations. */
export interface EvaluationOptions {
  readonly evaluateEvery?: number | undefined;
  readonly evaluators?: readonly Evaluator[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Place of errors, e.g. `sft`. @defaultValue "evaluatorOf" */
  readonly method?: string | undefined;
}

/**
 * Measures the weights before the steps 0, k, 2k: the loss on held-out data, and what the user's evaluators give. Gives undefined before
 * the other steps.
 *
 * @param tokenizer - tells the bytes of held-out text; absent where there is none
 * @returns a function of the step, and of work that is to be over before anything is measured
 */
export function evaluatorOf(
  training: TrainingClient,
  test: readonly Datum[],
  options: EvaluationOptions,
  tokenizer?: Tokenizer | undefined,
): (step: number, before?: () => Promise<void>) => Promise<Metrics | undefined> {
  const { evaluateEvery = 10, evaluators = [], signal, method = "evaluatorOf" } = options;
  const isNeeded = evaluateEvery > 0 && (test.length > 0 || evaluators.length > 0);
  return async (step, before) => {
    if (!isNeeded || step % evaluateEvery !== 0) return undefined;
    await before?.();
    const sampler = () => training.saveWeightsAndGetSamplingClient({ signal });
    const context = { training, step, signal, sampler: async () => sampler() };
    const measured = evaluators.map(async (evaluator, index) => {
      const place = `${method}: the metrics of evaluators[${index}]`;
      return checkedMetrics(await evaluator(context), place);
    });
    const loss = test.length > 0 ? testLoss(training, test, tokenizer, signal) : {};
    // An evaluator may not heed the signal.
    const results = await waitFor(Promise.all([loss, ...measured]), { signal }, systemClock, "an evaluation");
    return Object.assign({}, ...results);
  };
}

async function testLoss(
  training: TrainingClient,
  test: readonly Datum[],
  tokenizer: Tokenizer | undefined,
  signal: AbortSignal | undefined,
) {
  const output = await training.forward(test, "cross_entropy", { signal });
  const logged = test.map((datum, index) => plainNumbers(datum, output.loss_fn_outputs[index]?.logprobs));
  return {
    "test/nll": meanNll(logged),
    ...(tokenizer !== undefined && { "test/bpb": bitsPerByte(logged, tokenizer) }),
  };
}
