import { checkKnownNames, describeValue, silentLogger, systemClock, ValidationError } from "@tinkex/base";
import type { Renderer, RendererName } from "@tinkex/renderers";
import { openRun } from "@tinkex/runs";
import { schedule } from "./arithmetic/schedule.js";
import { batchesOf } from "./data/batches.js";
import { checkDataset, type Dataset, fingerprint, readDataset } from "./data/dataset.js";
import { mapNamed } from "./data/map-named.js";
import { isOfOneAnswer, type PreferencePair, pairDatums } from "./datum/preference-pair.js";
import { dpoLoop, referenceOf } from "./loops/dpo.js";
import { checkFits, contextWindowOf } from "./models/context-window.js";
import { CHECKPOINT_TTL_SECONDS } from "./run/checkpoints.js";
import { baseModelOf, isCheckpointPath, openTraining } from "./run/open-training.js";
import type { Metrics, RecipeEvent } from "./run/recipe-event.js";
import { RecipeLog } from "./run/recipe-log.js";
import {
  checkCount,
  checkRecipeOptions,
  DEFAULT_ADAM,
  RECIPE_OPTIONS,
  type RecipeOptions,
} from "./run/recipe-options.js";
import { RecipeRun } from "./run/recipe-run.js";
import { stoppedAt, type TrainingResult, trainingResult } from "./run/training-result.js";
import { checkRenderer, trainingTools } from "./run/training-tools.js";

/** Learning rate where none is given, that of the Python cookbook. */
const LEARNING_RATE = 1e-5;

/** Options of direct preference optimisation. */
export interface DpoOptions extends RecipeOptions {
  /** Questions with two answers each; those whose answers are the same are left out. Read once, and kept in memory. */
  readonly pairs: Dataset<PreferencePair>;
  /** Strength with which the model is held to where it began. @defaultValue 0.1 */
  readonly beta?: number | undefined;
  /** Pairs of a step. @defaultValue 16 */
  readonly batchSize?: number | undefined;
  /** Passes over the pairs. @defaultValue 1 */
  readonly epochs?: number | undefined;
  /** Most steps, however many epochs there are. @defaultValue no limit */
  readonly maxSteps?: number | undefined;
  /** Renderer of messages, or its name. @defaultValue the one that is recommended for the model */
  readonly renderer?: Renderer | RendererName | undefined;
}

const OPTIONS: Readonly<Record<keyof DpoOptions, true>> = {
  ...RECIPE_OPTIONS,
  pairs: true,
  beta: true,
  batchSize: true,
  epochs: true,
  maxSteps: true,
  renderer: true,
};

/**
 * Direct preference optimisation: learns to prefer one of two answers, without a model of rewards. The reference is the model as it is when the
 * run begins. It has started when it returns; await it for the result, iterate it for its events. `learningRate` is 1e-5 where it is left out.
 *
 * @throws ValidationError at the call, for options that cannot be trained with; later ones reach whoever awaits or iterates
 *
 * @example
 * await dpo({ service, model: checkpoint.statePath, pairs, beta: 0.1, learningRate: 1e-5 });
 */
export function dpo(options: DpoOptions): RecipeRun<TrainingResult, RecipeEvent> {
  checkKnownNames(options, OPTIONS, "the options of dpo");
  const complete = { ...options, learningRate: options.learningRate ?? LEARNING_RATE };
  checkRecipeOptions(complete, "dpo");
  checkDataset(options.pairs, "dpo: pairs");
  checkRenderer(options.renderer, "dpo: renderer");
  checkCount(options.batchSize, "dpo: batchSize", 1);
  checkCount(options.epochs, "dpo: epochs", 1);
  checkCount(options.maxSteps, "dpo: maxSteps", 1);
  const { beta = 0.1 } = options;
  if (!Number.isFinite(beta) || beta <= 0) {
    throw new ValidationError(`dpo: beta must be above 0, got ${describeValue(beta)}`);
  }
  return new RecipeRun({ method: "dpo", signal: options.signal }, (tell) => runDpo(complete, beta, tell));
}

async function runDpo(
  options: DpoOptions & { readonly learningRate: number },
  beta: number,
  tell: (event: RecipeEvent) => void,
): Promise<TrainingResult> {
  const { service, model, renderer, signal, clock = systemClock, logger = silentLogger } = options;
  const { batchSize = 16, epochs = 1, maxSteps = Number.POSITIVE_INFINITY, seed = 0, rank = 32 } = options;
  const pairs = await readDataset(options.pairs, "dpo: pairs", signal);
  const configOf = () => ({
    recipe_name: "dpo",
    model_name: isCheckpointPath(model) ? null : model,
    load_checkpoint_path: isCheckpointPath(model) ? model : null,
    dpo_beta: beta,
    learning_rate: options.learningRate,
    lr_schedule: options.schedule ?? "linear",
    num_epochs: epochs,
    max_steps: options.maxSteps ?? null,
    batch_size: batchSize,
    lora_rank: rank,
    seed,
    adam: { ...(options.adam ?? DEFAULT_ADAM) },
    // Left out where it was not chosen, so that runs of before go on.
    ...(renderer !== undefined && { renderer_name: typeof renderer === "object" ? renderer.name : renderer }),
    dataset: fingerprint(pairs, "dpo: pairs"),
  });
  await using run =
    options.runDirectory === undefined
      ? undefined
      : await openRun(options.runDirectory, { recipe: "dpo", config: configOf(), logger, clock });
  const log = new RecipeLog({ ...options, tell, run, logger });
  const resume = run?.resumePoint;
  if (resume?.isFinished) return await trainingResult(options, log, stoppedAt(resume));

  const training = await openTraining({ service, model, rank, seed, signal }, resume);
  const tools = await trainingTools(training, model, renderer);
  // A run that goes on has the pairs that it began with, which can no longer be changed.
  const window =
    resume === undefined
      ? await contextWindowOf(service, await baseModelOf(training, model), signal)
      : undefined;
  const placeOf = (index: number): string => `dpo: pairs[${index}]`;
  const data = mapNamed(pairs, placeOf, (pair) => {
    const datums = pairDatums(pair, tools, "a pair");
    if (isOfOneAnswer(datums)) return [];
    for (const datum of [datums.chosen, datums.rejected])
      checkFits(datum, window, "an answer with its prompt", "leave the pair out");
    return [datums];
  });
  const dropped = pairs.length - data.length;
  if (dropped > 0)
    log.warn(`${dropped} of ${pairs.length} pairs have the same answer twice, and are left out`);
  if (resume !== undefined) checkDropped(dropped, await log.lastMetrics());
  const batches = batchesOf(
    data,
    batchSize,
    seed,
    "dpo: pairs",
    "batchSize",
    dropped,
    "the same answer twice",
  );
  const totalSteps = Math.min(maxSteps, epochs * batches.stepsPerEpoch);
  // A run that goes on has other weights by now: its reference is made anew of where it began.
  const beginning =
    resume === undefined ? training : await openTraining({ service, model, rank, seed, signal }, undefined);
  const sampler = await beginning.saveWeightsAndGetSamplingClient({ signal });
  const startStep = resume?.batch ?? 0;
  log.start(startStep, totalSteps, resume?.statePath);
  const last = await dpoLoop({
    training,
    reference: referenceOf((document) => sampler.computeLogprobs(document, { signal })),
    log,
    startStep,
    droppedPairs: dropped,
    batchAt: batches.batchAt,
    epochAt: batches.epochAt,
    batchInEpochAt: batches.batchInEpochAt,
    learningRateAt: (step) => options.learningRate * schedule(options.schedule ?? "linear", step, totalSteps),
    adam: options.adam ?? DEFAULT_ADAM,
    beta,
    checkpoints: {
      totalSteps,
      saveEvery: options.saveEvery ?? 20,
      ttlSeconds: options.checkpointTtlSeconds ?? CHECKPOINT_TTL_SECONDS,
      signal,
    },
    nowMs: () => clock.monotonic(),
    signal,
  }).finally(() => sampler.close());
  const checkpoint = last ?? (resume && stoppedAt(resume));
  if (checkpoint === undefined) throw new ValidationError("dpo: there was no step to do");
  return await trainingResult(options, log, checkpoint);
}

/** Refuses to go on with a run that left out other pairs, as versions did that left out none: its batches were others. */
function checkDropped(dropped: number, { "pairs/dropped": before = 0 }: Metrics): void {
  if (dropped === before) return;
  throw new ValidationError(
    `dpo: the run in runDirectory has left out ${before} pairs, and ${dropped} have the same answer twice, so that its batches were ` +
      "others; go on with the version that began it, or choose another directory",
  );
}
