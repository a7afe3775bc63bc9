import type { ApiFuture, PassOutput, TrainingClient } from "@tinkex/client";
import type { AdamParams, Datum, OptimStepResponse } from "@tinkex/types";
import { type LoggedDatum, plainNumbers } from "../datum/plain-numbers.js";
import { optimizerMetrics } from "../metrics/optimizer-metrics.js";
import { meanNll } from "../metrics/supervised-metrics.js";
import {
  type CheckpointPlan,
  type PendingCheckpoint,
  savedCheckpoint,
  submitCheckpoint,
} from "../run/checkpoints.js";
import type { Metrics, SavedCheckpoint } from "../run/recipe-event.js";
import type { RecipeLog } from "../run/recipe-log.js";

/** Parts of the loop. Everything that happens at the edge, files and evaluations, is a function of it. */
export interface SupervisedLoop {
  readonly training: TrainingClient;
  readonly log: RecipeLog;
  /** The first step to do; above 0 for a run that goes on. */
  readonly startStep: number;
  /** Examples of a step: a function of the step alone, so that a run that goes on sees the same. */
  readonly batchAt: (step: number) => readonly Datum[];
  readonly epochAt: (step: number) => number;
  readonly batchInEpochAt: (step: number) => number;
  readonly learningRateAt: (step: number) => number;
  readonly adam: Omit<AdamParams, "learning_rate">;
  /** Batches submitted beyond the one that is waited for. 1 keeps the service busy; 0 waits for each. */
  readonly submitAhead: number;
  readonly checkpoints: CheckpointPlan;
  /**
   * Metrics of held-out data with the weights before a step; undefined where none are due. Else it awaits `before` first: the steps that
   * were submitted, and their checkpoint, are written by then, and are not lost with an evaluation that fails or is killed.
   */
  readonly evaluate: (step: number, before: () => Promise<void>) => Promise<Metrics | undefined>;
  /** Further metrics of a step, such as bits per byte. */
  readonly describe: (data: readonly LoggedDatum[]) => Metrics;
  readonly nowMs: () => number;
  readonly signal: AbortSignal | undefined;
}

/** A step that was submitted. */
interface SubmittedStep {
  readonly step: number;
  readonly data: readonly Datum[];
  readonly learningRate: number;
  readonly evaluation: Metrics;
  readonly pass: ApiFuture<PassOutput>;
  readonly update: ApiFuture<OptimStepResponse>;
  readonly checkpoint: PendingCheckpoint | undefined;
  readonly startedAtMs: number;
}

/**
 * The loop of supervised fine-tuning, made to be copied. Each step is a pass and an update, both submitted before either is awaited, and
 * `submitAhead` further steps are submitted before its results are read.
 *
 * @returns the last checkpoint; undefined where there was no step to do
 */
export async function supervisedLoop(loop: SupervisedLoop): Promise<SavedCheckpoint | undefined> {
  const { log, startStep, checkpoints, signal } = loop;
  const submitted: SubmittedStep[] = [];
  let last: SavedCheckpoint | undefined;
  const finishAll = async (): Promise<void> => {
    while (submitted.length > 0) last = (await finishNext(loop, submitted)) ?? last;
  };
  for (let step = startStep; step < checkpoints.totalSteps; step += 1) {
    signal?.throwIfAborted();
    // Before the step is submitted, and awaited: evaluators see the weights that the step begins with.
    const evaluation = await loop.evaluate(step, finishAll);
    if (evaluation !== undefined) log.evaluation(step, evaluation);
    submitted.push(submitStep(loop, step, evaluation ?? {}));
    while (submitted.length > loop.submitAhead) last = (await finishNext(loop, submitted)) ?? last;
  }
  await finishAll();
  return last;
}

function submitStep(loop: SupervisedLoop, step: number, evaluation: Metrics): SubmittedStep {
  const { training, adam, signal } = loop;
  const data = loop.batchAt(step);
  const learningRate = loop.learningRateAt(step);
  return {
    step,
    data,
    learningRate,
    evaluation,
    startedAtMs: loop.nowMs(),
    pass: training.forwardBackward(data, "cross_entropy", { signal }),
    update: training.optimStep({ ...adam, learning_rate: learningRate }, { signal }),
    // Between this step and the next batch, or the checkpoint would hold what comes after it.
    checkpoint: submitCheckpoint(training, step + 1, loop.checkpoints),
  };
}

/** Reads the results of the oldest step that was submitted, writes its metrics, and then its checkpoint. */
async function finishNext(
  loop: SupervisedLoop,
  submitted: SubmittedStep[],
): Promise<SavedCheckpoint | undefined> {
  const next = submitted.shift();
  if (next === undefined) return undefined;
  const { step, data, checkpoint } = next;
  const [output, update] = await Promise.all([next.pass, next.update]);
  const { log, checkpoints } = loop;
  const logged = data.map((datum, index) => plainNumbers(datum, output.loss_fn_outputs[index]?.logprobs));
  let saved: SavedCheckpoint | undefined;
  const weights = logged.flatMap((datum) => Array.from(datum.weights));
  await log.step(
    step,
    {
      epoch: loop.epochAt(step),
      progress: (step + 1) / checkpoints.totalSteps,
      learning_rate: next.learningRate,
      num_sequences: data.length,
      num_tokens: weights.length,
      num_loss_tokens: weights.filter((weight) => weight > 0).length,
      train_mean_nll: meanNll(logged),
      ...loop.describe(logged),
      ...next.evaluation,
      ...optimizerMetrics(update.metrics ?? undefined),
      "time/step": (loop.nowMs() - next.startedAtMs) / 1000,
    },
    { trained: weights.length },
    checkpoint &&
      (async () => {
        saved = await savedCheckpoint(checkpoint);
        await log.checkpoint(saved, loop.epochAt(saved.batch), loop.batchInEpochAt(saved.batch));
      }),
  );
  return saved;
}
