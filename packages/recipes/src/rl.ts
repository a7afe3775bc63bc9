import { silentLogger, systemClock, ValidationError } from "@tinkex/base";
import { openRun } from "@tinkex/runs";
import { schedule } from "./arithmetic/schedule.js";
import { batchesOf } from "./data/batches.js";
import { fingerprint, readDataset } from "./data/dataset.js";
import { evaluatorOf } from "./loops/evaluators.js";
import { rlLoop } from "./loops/rl.js";
import { learningRateFor } from "./models/learning-rate-for.js";
import { checkRlOptions, type RlOptions } from "./rl-options.js";
import type { Episode } from "./rollout/episode.js";
import { rolloutSummaries, rolloutTokens } from "./rollout/rollout-records.js";
import { runGroup } from "./rollout/run-group.js";
import { CHECKPOINT_TTL_SECONDS } from "./run/checkpoints.js";
import { baseModelOf, isCheckpointPath, openTraining } from "./run/open-training.js";
import type { RecipeEvent } from "./run/recipe-event.js";
import { RecipeLog } from "./run/recipe-log.js";
import { DEFAULT_ADAM } from "./run/recipe-options.js";
import { RecipeRun } from "./run/recipe-run.js";
import { stoppedAt, type TrainingResult, trainingResult } from "./run/training-result.js";
import { trainingTools } from "./run/training-tools.js";

/** Distance of the seeds of two steps; those of groups and members lie between. */
const SEEDS_PER_STEP = 1_000_003;
const SEEDS_PER_GROUP = 1_009;

/** Milliseconds for an episode where none are given. */
const TIME_LIMIT_MS = 600_000;

/**
 * Reinforcement learning: many answers to each problem, compared with each other. It has started when it returns; await it for the result,
 * iterate it for its events.
 *
 * @throws ValidationError at the call, for options that cannot be trained with; later ones reach whoever awaits or iterates
 *
 * @example
 * await rl({
 *   service, model, problems: words, maxTokens: 16, learningRate: 3e-3, steps: 30,
 *   prompt: (word) => `Pig Latin: ${word} ->`,
 *   reward: (word, reply) => similarity(reply.text, pigLatin(word)),
 * });
 */
export function rl<Problem>(options: RlOptions<Problem>): RecipeRun<TrainingResult, RecipeEvent> {
  checkRlOptions(options);
  return new RecipeRun((tell) => runRl(options, tell));
}

async function runRl<Problem>(options: RlOptions<Problem>, tell: (event: RecipeEvent) => void) {
  const { service, model, signal, clock = systemClock, logger = silentLogger } = options;
  const { groupSize = 8, groupsPerBatch = 16, seed = 0, rank = 32, maxTokens, temperature = 1 } = options;
  const problems = await readDataset(options.problems, "rl: problems");
  const config = configOf(options, problems);
  const run =
    options.runDirectory === undefined
      ? undefined
      : await openRun(options.runDirectory, { recipe: "rl", config, logger, clock });
  const log = new RecipeLog({ tell, run, logger, onMetrics: options.onMetrics });
  const resume = run?.resumePoint;
  if (resume?.isFinished) return trainingResult(options, log, stoppedAt(resume));

  const batches = batchesOf(problems, groupsPerBatch, seed, "rl");
  const totalSteps = options.steps ?? batches.stepsPerEpoch;
  const training = await openTraining({ service, model, rank, seed, signal }, resume);
  const loaded = await trainingTools(training, model, options.renderer);
  const baseRate = options.learningRate ?? learningRateFor(await baseModelOf(training, model));
  const startStep = resume?.batch ?? 0;
  log.start(startStep, totalSteps, resume?.statePath);
  const last = await rlLoop({
    training,
    log,
    startStep,
    lossFn: options.lossFn ?? "importance_sampling",
    learningRateAt: (step) => baseRate * schedule(options.schedule ?? "constant", step, totalSteps),
    adam: options.adam ?? DEFAULT_ADAM,
    checkpoints: {
      totalSteps,
      saveEvery: options.saveEvery ?? 20,
      ttlSeconds: options.checkpointTtlSeconds ?? CHECKPOINT_TTL_SECONDS,
      signal,
    },
    epochAt: batches.epochAt,
    rollOut: (step, sampler) =>
      Promise.all(
        batches.batchAt(step).map((problem, group) =>
          runGroup(problem, `problem ${group} of step ${step}`, seedOf(seed, step, group), {
            sampler,
            tools: { ...loaded, stop: options.stop ?? [] },
            params: { max_tokens: maxTokens, temperature },
            groupSize,
            episode: episodeOf(options),
            hasSharedPrompt: options.episode === undefined,
            groupReward: options.groupReward,
            onFailure: options.onFailure ?? "fail",
            timeLimitMs: options.timeLimitMs ?? TIME_LIMIT_MS,
            clock,
            signal,
            warn: (message) => log.warn(message),
          }),
        ),
      ),
    evaluate: evaluatorOf(training, [], { ...options, evaluateEvery: options.evaluateEvery ?? 20 }),
    record: async (step, groups, data) => {
      if (run === undefined) return;
      await run.writeRollouts(step, rolloutSummaries(step, groups));
      const logged = data.slice(0, options.loggedGroups ?? 4);
      await run.writeRolloutTokens(
        step,
        logged.flatMap((group, index) => rolloutTokens(index, group, loaded.tokenizer)),
      );
    },
    nowMs: () => clock.monotonic(),
    signal,
  });
  const checkpoint = last ?? (resume && stoppedAt(resume));
  if (checkpoint === undefined) throw new ValidationError("rl: there was no step to do");
  return trainingResult(options, log, checkpoint);
}

/** Seed of a group's first sample: below 2³¹, which every service takes. */
function seedOf(seed: number, step: number, group: number): number {
  return (seed * 7_368_787 + step * SEEDS_PER_STEP + group * SEEDS_PER_GROUP) % 2 ** 31;
}

/** The episode of a problem; one turn is an episode of one reply. */
function episodeOf<Problem>(options: RlOptions<Problem>): (problem: Problem) => Episode {
  if (options.episode !== undefined) return options.episode;
  const { prompt, reward } = options;
  return async function* singleTurn(problem): Episode {
    const reply = yield prompt(problem);
    return reward(problem, reply);
  };
}

/** Everything that decides the result, by the names of the Python cookbook where it has one. */
function configOf<Problem>(options: RlOptions<Problem>, problems: readonly Problem[]) {
  const { model, renderer } = options;
  return {
    recipe_name: "rl",
    model_name: isCheckpointPath(model) ? null : model,
    load_checkpoint_path: isCheckpointPath(model) ? model : null,
    renderer_name: typeof renderer === "object" ? renderer.name : (renderer ?? null),
    loss_fn: options.lossFn ?? "importance_sampling",
    learning_rate: options.learningRate ?? null,
    lr_schedule: options.schedule ?? "constant",
    steps: options.steps ?? null,
    groups_per_batch: options.groupsPerBatch ?? 16,
    group_size: options.groupSize ?? 8,
    max_tokens: options.maxTokens,
    temperature: options.temperature ?? 1,
    stop: [...(options.stop ?? [])],
    lora_rank: options.rank ?? 32,
    seed: options.seed ?? 0,
    adam: { ...(options.adam ?? DEFAULT_ADAM) },
    dataset: fingerprint(problems, "rl: problems"),
  };
}
