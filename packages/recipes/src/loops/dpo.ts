import type { TrainingClient } from "@tinkex/client";
import type { AdamParams, Datum, ModelInput } from "@tinkex/types";
import { scoreTargets } from "../datum/document-of.js";
import { numbers } from "../datum/plain-numbers.js";
import type { PairDatums } from "../datum/preference-pair.js";
import { answerLogprob, type DpoBatchLoss, dpoBatchLoss } from "../losses/dpo-custom-loss.js";
import { optimizerMetrics } from "../metrics/optimizer-metrics.js";
import { type CheckpointPlan, savedCheckpoint, submitCheckpoint } from "../run/checkpoints.js";
import type { SavedCheckpoint } from "../run/recipe-event.js";
import type { RecipeLog } from "../run/recipe-log.js";

/** Parts of the loop. */
export interface DpoLoop {
  readonly training: TrainingClient;
  /** Scores the answers of datums with the weights that the run began with. */
  readonly reference: (data: readonly Datum[]) => Promise<readonly number[]>;
  readonly log: RecipeLog;
  readonly startStep: number;
  /** Pairs of the data set that were left out. @defaultValue 0 */
  readonly droppedPairs?: number | undefined;
  readonly batchAt: (step: number) => readonly PairDatums[];
  readonly epochAt: (step: number) => number;
  readonly batchInEpochAt: (step: number) => number;
  readonly learningRateAt: (step: number) => number;
  readonly adam: Omit<AdamParams, "learning_rate">;
  readonly beta: number;
  readonly checkpoints: CheckpointPlan;
  readonly nowMs: () => number;
  readonly signal: AbortSignal | undefined;
}

/**
 * The loop of direct preference optimisation, made to be copied: pairs are scored here, in a loss of our own, and its gradients go back to
 * the service.
 *
 * @returns the last checkpoint; undefined where there was no step to do
 */
export async function dpoLoop(loop: DpoLoop): Promise<SavedCheckpoint | undefined> {
  const { training, log, checkpoints, signal, droppedPairs = 0 } = loop;
  let last: SavedCheckpoint | undefined;
  for (let step = loop.startStep; step < checkpoints.totalSteps; step += 1) {
    signal?.throwIfAborted();
    const startedAtMs = loop.nowMs();
    const data = loop.batchAt(step).flatMap(({ chosen, rejected }) => [chosen, rejected]);
    const weights = data.map(weightsOf);
    const reference = await loop.reference(data);
    let computed: DpoBatchLoss | undefined;
    const pass = training.forwardBackwardCustom(
      data,
      (_, logprobs) => {
        computed = dpoBatchLoss(logprobs, weights, reference, loop.beta);
        return { loss: computed.loss, gradients: computed.gradients.map((row) => [...row]) };
      },
      { signal },
    );
    const learningRate = loop.learningRateAt(step);
    const update = training.optimStep({ ...loop.adam, learning_rate: learningRate }, { signal });
    // Between this step and the next batch, or the checkpoint would hold what comes after it.
    const checkpoint = submitCheckpoint(training, step + 1, checkpoints);
    const [, { metrics }] = await Promise.all([pass, update]);
    await log.step(
      step,
      {
        epoch: loop.epochAt(step),
        progress: step / checkpoints.totalSteps,
        learning_rate: learningRate,
        num_pairs: data.length / 2,
        ...(droppedPairs > 0 && { "pairs/dropped": droppedPairs }),
        num_tokens: weights.flat().length,
        ...computed?.metrics,
        ...optimizerMetrics(metrics ?? undefined),
        "time/step": (loop.nowMs() - startedAtMs) / 1000,
      },
      { trained: weights.flat().length },
      checkpoint &&
        (async () => {
          last = await savedCheckpoint(checkpoint);
          await log.checkpoint(last, loop.epochAt(last.batch), loop.batchInEpochAt(last.batch));
        }),
    );
  }
  return last;
}

/** Scores answers with a sampling client that stays as it is: log-probabilities of the whole text, the answer's own added up. */
export function referenceOf(
  computeLogprobs: (document: ModelInput) => PromiseLike<readonly (number | null)[]>,
): (data: readonly Datum[]) => Promise<readonly number[]> {
  return (data) =>
    Promise.all(
      data.map(async (datum) => answerLogprob(await scoreTargets(datum, computeLogprobs), weightsOf(datum))),
    );
}

function weightsOf({ loss_fn_inputs }: Datum): readonly number[] {
  return numbers(loss_fn_inputs.weights ?? { data: [], dtype: "float32" });
}
