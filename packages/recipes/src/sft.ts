import { silentLogger, systemClock, ValidationError } from "@tinkex/base";
import { openRun } from "@tinkex/runs";
import type { Datum } from "@tinkex/types";
import { schedule } from "./arithmetic/schedule.js";
import { batchesOf } from "./data/batches.js";
import { fingerprint, readDataset } from "./data/dataset.js";
import { exampleDatums, NOT_MEASURED, type TrainingExample } from "./data/training-example.js";
import { evaluatorOf } from "./loops/evaluators.js";
import { supervisedLoop } from "./loops/supervised.js";
import { bitsPerByte } from "./metrics/supervised-metrics.js";
import { contextWindowOf } from "./models/context-window.js";
import { learningRateFor } from "./models/learning-rate-for.js";
import { CHECKPOINT_TTL_SECONDS } from "./run/checkpoints.js";
import { baseModelOf, isCheckpointPath, openTraining } from "./run/open-training.js";
import type { RecipeEvent } from "./run/recipe-event.js";
import { RecipeLog } from "./run/recipe-log.js";
import { DEFAULT_ADAM } from "./run/recipe-options.js";
import { RecipeRun } from "./run/recipe-run.js";
import { stoppedAt, type TrainingResult, trainingResult } from "./run/training-result.js";
import { trainingTools } from "./run/training-tools.js";
import { checkSftOptions, type SftOptions } from "./sft-options.js";

/**
 * Supervised fine-tuning: learns to answer as the examples do. It has started when it returns; await it for the result, iterate it for its
 * events.
 *
 * @throws ValidationError at the call, for options that cannot be trained with; later ones reach whoever awaits or iterates
 *
 * @example
 * const run = sft({ service, model: "Qwen/Qwen3-8B", train: chats, batchSize: 64, runDirectory: "runs/support-bot" });
 * for await (const event of run) if (event.type === "step") console.log(event.step, event.metrics.train_mean_nll);
 * const { checkpoint, sampler } = await run;
 */
export function sft(options: SftOptions): RecipeRun<TrainingResult, RecipeEvent> {
  checkSftOptions(options);
  return startSft(options, { method: "sft", placeOf: (name, index) => `sft: ${name}[${index}]` });
}

/** Starts a run whose options are checked. */
export function startSft(options: SftOptions, start: SftStart): RecipeRun<TrainingResult, RecipeEvent> {
  const { method } = start;
  return new RecipeRun({ method, signal: options.signal }, (tell) => runSft(options, start, tell));
}

/** Parts in which a job differs from its recipe. */
export interface SftStart {
  readonly method: "sft" | "fineTune";
  /** True makes a batch of all examples where there are fewer than one has. @defaultValue false */
  readonly hasFittingBatch?: boolean | undefined;
  /** Name of an example, e.g. `sft: train[3]`. */
  readonly placeOf: (name: "train" | "test", index: number) => string;
}

async function runSft(
  options: SftOptions,
  { method, placeOf, hasFittingBatch = false }: SftStart,
  tell: (event: RecipeEvent) => void,
): Promise<TrainingResult> {
  const { service, model, signal, clock = systemClock, logger = silentLogger } = options;
  const { batchSize = 32, epochs = 1, seed = 0, rank = 32, maxSteps = Number.POSITIVE_INFINITY } = options;
  const examples = await readDataset(options.train, `${method}: train`, signal);
  const testExamples = await readDataset(options.test ?? [], `${method}: test`, signal);
  await using run =
    options.runDirectory === undefined
      ? undefined
      : await openRun(options.runDirectory, {
          recipe: "sft",
          config: configOf(options, examples, method),
          logger,
          clock,
        });
  const log = new RecipeLog({ ...options, tell, run, logger });
  const resume = run?.resumePoint;
  if (resume?.isFinished) return await trainingResult(options, log, stoppedAt(resume));

  const training = await openTraining({ service, model, rank, seed, signal }, resume);
  const hasText = [...examples, ...testExamples].some((example) => !isDatum(example));
  const loaded = hasText ? await trainingTools(training, model, options.renderer) : undefined;
  const { trainOn, maxLength, reduction } = options;
  const baseModel = await baseModelOf(training, model);
  // A run that goes on has the data that it began with, which can no longer be changed.
  const window = resume === undefined ? await contextWindowOf(service, baseModel, signal) : undefined;
  const tools = { loaded, options: { trainOn, maxLength, reduction }, window };
  const toDatums = (list: readonly TrainingExample[], name: "train" | "test") =>
    exampleDatums(list, tools, (index) => placeOf(name, index));
  const [data, test] = [toDatums(examples, "train"), toDatums(testExamples, "test")];
  const dropped = examples.length - data.length;
  if (dropped > 0)
    log.warn(`${dropped} of ${examples.length} examples have no token to train on, and are left out`);
  const unmeasured = testExamples.length - test.length;
  if (unmeasured > 0) log.warn(`${unmeasured} of ${testExamples.length} examples of test ${NOT_MEASURED}`);
  const size = hasFittingBatch ? Math.max(1, Math.min(batchSize, data.length)) : batchSize;
  const why = "no token to train on: no answer of the assistant, or all of it behind maxLength";
  const batches = batchesOf(data, size, seed, `${method}: train`, "batchSize", dropped, why);
  const totalSteps = Math.min(maxSteps, epochs * batches.stepsPerEpoch);
  if (resume !== undefined && resume.batch > totalSteps) {
    throw new ValidationError(
      `${method}: the run has ${resume.batch} steps already, more than the ${totalSteps} that are asked for`,
    );
  }
  const baseRate = options.learningRate ?? learningRateFor(baseModel);
  log.start(resume?.batch ?? 0, totalSteps, resume?.statePath);
  const last = await supervisedLoop({
    training,
    log,
    startStep: resume?.batch ?? 0,
    batchAt: batches.batchAt,
    epochAt: batches.epochAt,
    batchInEpochAt: batches.batchInEpochAt,
    learningRateAt: (step) => baseRate * schedule(options.schedule ?? "linear", step, totalSteps),
    adam: options.adam ?? DEFAULT_ADAM,
    submitAhead: options.submitAhead ?? 1,
    checkpoints: {
      totalSteps,
      saveEvery: options.saveEvery ?? 20,
      ttlSeconds: options.checkpointTtlSeconds ?? CHECKPOINT_TTL_SECONDS,
      signal,
    },
    evaluate: evaluatorOf(training, test, { ...options, method }, loaded?.tokenizer),
    describe: (logged) => ({
      ...(dropped > 0 && { "datums/dropped": dropped }),
      ...(loaded !== undefined && { train_mean_bpb: bitsPerByte(logged, loaded.tokenizer) }),
    }),
    nowMs: () => clock.monotonic(),
    signal,
  });
  const checkpoint = last ?? (resume && stoppedAt(resume));
  if (checkpoint === undefined) throw new ValidationError(`${method}: there was no step to do`);
  return await trainingResult(options, log, checkpoint);
}

/** Everything that decides the result, by the names of the Python cookbook where it has one. */
function configOf(options: SftOptions, examples: readonly TrainingExample[], method: string) {
  const { model, renderer } = options;
  return {
    recipe_name: "sft",
    model_name: isCheckpointPath(model) ? null : model,
    load_checkpoint_path: isCheckpointPath(model) ? model : null,
    renderer_name: typeof renderer === "object" ? renderer.name : (renderer ?? null),
    learning_rate: options.learningRate ?? null,
    lr_schedule: options.schedule ?? "linear",
    num_epochs: options.epochs ?? 1,
    max_steps: options.maxSteps ?? null,
    batch_size: options.batchSize ?? 32,
    lora_rank: options.rank ?? 32,
    seed: options.seed ?? 0,
    train_on_what: options.trainOn ?? "all_assistant_messages",
    reduction: options.reduction ?? "mean",
    max_length: options.maxLength ?? null,
    adam: { ...(options.adam ?? DEFAULT_ADAM) },
    dataset: fingerprint(examples, `${method}: train`),
  };
}

function isDatum(example: TrainingExample): example is Datum {
  return typeof example === "object" && example !== null && "model_input" in example;
}
