import { silentLogger, systemClock, ValidationError } from "@tinkex/base";
import { type JsonObject, openRun } from "@tinkex/runs";
import type { LossFnType } from "@tinkex/types";
import { schedule } from "./arithmetic/schedule.js";
import { batchesOf } from "./data/batches.js";
import { checkDataset, type Dataset, fingerprint, readDataset } from "./data/dataset.js";
import { checkEvaluators, type Evaluator, evaluatorOf } from "./loops/evaluators.js";
import { type RlLoop, rlLoop } from "./loops/rl.js";
import { checkPolicyLoss } from "./losses/policy-loss.js";
import { sumTokens, type TokenCounts } from "./metrics/token-usage.js";
import { learningRateFor } from "./models/learning-rate-for.js";
import { countedSampler } from "./rollout/counted-sampler.js";
import { mapBounded } from "./rollout/map-bounded.js";
import {
  checkRolloutOptions,
  type RolloutOptions,
  rolloutConfig,
  rolloutRules,
} from "./rollout/rollout-options.js";
import { RolloutPipeline } from "./rollout/rollout-pipeline.js";
import { rolloutRecorder } from "./rollout/rollout-records.js";
import type { RolloutRules } from "./rollout/rollout-rules.js";
import { runGroup } from "./rollout/run-group.js";
import { seedOf } from "./rollout/seeds.js";
import { CHECKPOINT_TTL_SECONDS } from "./run/checkpoints.js";
import { baseModelOf, isCheckpointPath, openTraining } from "./run/open-training.js";
import type { RecipeEvent } from "./run/recipe-event.js";
import { RecipeLog } from "./run/recipe-log.js";
import { checkCount, checkRecipeOptions, DEFAULT_ADAM, type RecipeOptions } from "./run/recipe-options.js";
import { stoppedAt, type TrainingResult, trainingResult } from "./run/training-result.js";
import { type TrainingTools, trainingTools } from "./run/training-tools.js";

/** Options of every recipe that trains on rollouts. */
export interface RolloutTrainingOptions<Problem> extends RecipeOptions, RolloutOptions {
  /** Problems to answer. Read once, and kept in memory. */
  readonly problems: Dataset<Problem>;
  /** Answers to each problem. @defaultValue 8; 4 for distillation */
  readonly groupSize?: number | undefined;
  /** Problems of a step. @defaultValue 16 */
  readonly groupsPerBatch?: number | undefined;
  /** @defaultValue one pass over the problems */
  readonly steps?: number | undefined;
  /** A loss that trains on sampled tokens. @defaultValue "importance_sampling" */
  readonly lossFn?: LossFnType | undefined;
  /**
   * Steps that rollouts may run ahead of training: the groups of so many further steps are sampled, with older weights, while a step is
   * trained. Above 0 a loss that bears it is wanted, such as `ppo`. @defaultValue 0
   */
  readonly maxStepsOffPolicy?: number | undefined;
  readonly evaluators?: readonly Evaluator[] | undefined;
  /** Steps between two evaluations, the first before step 0; 0 for none. @defaultValue 20 */
  readonly evaluateEvery?: number | undefined;
  /** Groups of each step whose tokens are written. @defaultValue 4 */
  readonly loggedGroups?: number | undefined;
}

/** The names of {@link RolloutTrainingOptions} that are its own. */
export const ROLLOUT_TRAINING_OPTIONS = {
  problems: true,
  groupSize: true,
  groupsPerBatch: true,
  steps: true,
  lossFn: true,
  maxStepsOffPolicy: true,
  evaluators: true,
  evaluateEvery: true,
  loggedGroups: true,
} as const;

/** @throws ValidationError for options that cannot be trained with */
export function checkRolloutTraining<Problem>(
  options: RolloutTrainingOptions<Problem>,
  method: string,
  minGroupSize: number,
): void {
  checkRecipeOptions(options, method);
  checkDataset(options.problems, `${method}: problems`);
  checkCount(options.groupSize, `${method}: groupSize`, minGroupSize);
  checkCount(options.groupsPerBatch, `${method}: groupsPerBatch`, 1);
  checkCount(options.steps, `${method}: steps`, 1);
  checkCount(options.maxStepsOffPolicy, `${method}: maxStepsOffPolicy`, 0);
  checkCount(options.evaluateEvery, `${method}: evaluateEvery`, 0);
  checkEvaluators(options.evaluators, `${method}: evaluators`);
  checkPolicyLoss(options.lossFn, `${method}: lossFn`);
  checkCount(options.loggedGroups, `${method}: loggedGroups`, 0);
  checkRolloutOptions(options, method);
  // At 0 every answer of a group is the same.
  if (options.temperature === 0) {
    throw new ValidationError(`${method}: temperature must be above 0, got 0`);
  }
}

/** Parts in which recipes that train on rollouts differ. */
export interface RolloutRecipe<Problem>
  extends Pick<RolloutRules<Problem>, "groupSize" | "episode" | "hasSharedPrompt" | "groupReward"> {
  readonly method: "rl" | "distill";
  /** The loss, where the recipe alone decides it. */
  readonly lossFn?: LossFnType | undefined;
  /** Fields of the configuration that other recipes do not have. */
  readonly config: JsonObject;
  readonly examplesOf: (
    groups: Parameters<RlLoop["examplesOf"]>[0],
    tools: TrainingTools,
  ) => ReturnType<RlLoop["examplesOf"]>;
}

/** Loss where none is given. */
const LOSS = "importance_sampling";

/** Trains on answers to problems that the model in training gives. */
export async function trainOnRollouts<Problem>(
  options: RolloutTrainingOptions<Problem>,
  recipe: RolloutRecipe<Problem>,
  tell: (event: RecipeEvent) => void,
): Promise<TrainingResult> {
  const { service, model, signal, clock = systemClock, logger = silentLogger } = options;
  const { groupsPerBatch = 16, seed = 0, rank = 32, maxStepsOffPolicy = 0 } = options;
  const { method, examplesOf, config, lossFn = options.lossFn ?? LOSS, ...rollouts } = recipe;
  const problems = await readDataset(options.problems, `${method}: problems`, signal);
  await using run =
    options.runDirectory === undefined
      ? undefined
      : await openRun(options.runDirectory, {
          recipe: method,
          // Made only here: without a folder a problem may be anything.
          config: { ...configOf(options, recipe, problems), ...config },
          logger,
          clock,
        });
  const log = new RecipeLog({ ...options, tell, run, logger });
  const resume = run?.resumePoint;
  if (resume?.isFinished) return await trainingResult(options, log, stoppedAt(resume));

  const batches = batchesOf(problems, groupsPerBatch, seed, `${method}: problems`, "groupsPerBatch");
  const totalSteps = options.steps ?? batches.stepsPerEpoch;
  const training = await openTraining({ service, model, rank, seed, signal }, resume);
  const loaded = await trainingTools(training, model, options.renderer);
  const baseRate = options.learningRate ?? learningRateFor(await baseModelOf(training, model));
  const startStep = resume?.batch ?? 0;
  const warn = (message: string): void => log.warn(message);
  const rules = rolloutRules<Problem>(options, method, loaded, { ...rollouts, clock, warn });
  const pipeline = new RolloutPipeline({
    startStep,
    totalSteps,
    maxStepsOffPolicy,
    rollOut: async (step, client, aborted) => {
      const counts: TokenCounts[] = [];
      const sampler = countedSampler(client, (tokens) => counts.push(tokens));
      const groups = await mapBounded(
        batches.batchAt(step),
        { concurrency: groupsPerBatch, signal: aborted },
        (problem, group, ended) => {
          const place = `${method}: problem ${group} of step ${step}`;
          return runGroup(problem, place, seedOf(seed, step, group), { ...rules, sampler, signal: ended });
        },
      );
      return { groups, tokens: sumTokens(counts) };
    },
    signal,
  });
  log.start(startStep, totalSteps, resume?.statePath);
  const last = await rlLoop({
    training,
    log,
    startStep,
    lossFn,
    learningRateAt: (step) => baseRate * schedule(options.schedule ?? "constant", step, totalSteps),
    adam: options.adam ?? DEFAULT_ADAM,
    checkpoints: {
      totalSteps,
      saveEvery: options.saveEvery ?? 20,
      ttlSeconds: options.checkpointTtlSeconds ?? CHECKPOINT_TTL_SECONDS,
      signal,
    },
    epochAt: batches.epochAt,
    rollOut: (step, sampler) => pipeline.take(step, sampler),
    examplesOf: (groups) => examplesOf(groups, loaded),
    evaluate: evaluatorOf(training, [], { ...options, evaluateEvery: options.evaluateEvery ?? 20, method }),
    record: rolloutRecorder(run, loaded.tokenizer, options.loggedGroups),
    nowMs: () => clock.monotonic(),
    signal,
  }).finally(() => pipeline.close());
  const checkpoint = last ?? (resume && stoppedAt(resume));
  if (checkpoint === undefined) throw new ValidationError(`${method}: there was no step to do`);
  return await trainingResult(options, log, checkpoint);
}

/** Everything that decides the result, by the names of the Python cookbook where it has one. */
function configOf<Problem>(
  options: RolloutTrainingOptions<Problem>,
  { method, groupSize, lossFn = options.lossFn ?? LOSS }: RolloutRecipe<Problem>,
  problems: readonly Problem[],
): JsonObject {
  const { model } = options;
  return {
    recipe_name: method,
    model_name: isCheckpointPath(model) ? null : model,
    load_checkpoint_path: isCheckpointPath(model) ? model : null,
    ...rolloutConfig(options, method),
    loss_fn: lossFn,
    learning_rate: options.learningRate ?? null,
    lr_schedule: options.schedule ?? "constant",
    steps: options.steps ?? null,
    groups_per_batch: options.groupsPerBatch ?? 16,
    group_size: groupSize,
    max_steps_off_policy: options.maxStepsOffPolicy ?? 0,
    lora_rank: options.rank ?? 32,
    seed: options.seed ?? 0,
    adam: { ...(options.adam ?? DEFAULT_ADAM) },
    dataset: fingerprint(problems, `${method}: problems`),
  };
}
