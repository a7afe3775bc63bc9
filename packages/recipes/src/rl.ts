import { checkRlOptions, type RlOptions } from "./rl-options.js";
import { singleTurn } from "./rollout/episode.js";
import { rewardedExamples } from "./rollout/group-examples.js";
import type { RecipeEvent } from "./run/recipe-event.js";
import { RecipeRun } from "./run/recipe-run.js";
import type { TrainingResult } from "./run/training-result.js";
import { type RolloutRecipe, trainOnRollouts } from "./train-on-rollouts.js";

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
  const recipe = {
    method: "rl",
    config: {},
    groupSize: options.groupSize ?? 8,
    episode: options.episode ?? singleTurn(options.prompt, options.reward),
    hasSharedPrompt: options.episode === undefined,
    groupReward: options.groupReward,
    examplesOf: async (groups) => ({ data: groups.map(rewardedExamples), metrics: {} }),
  } as const satisfies RolloutRecipe<Problem>;
  return new RecipeRun({ method: "rl", signal: options.signal }, (tell) =>
    trainOnRollouts(options, recipe, tell),
  );
}
