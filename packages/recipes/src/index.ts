export { groupAdvantages, isConstantGroup } from "./advantage/group-advantages.js";
export {
  discountedFutureSum,
  type KlAdvantages,
  type KlOptions,
  klPenalty,
  reverseKlAdvantages,
  type ScoredDatum,
} from "./advantage/reverse-kl.js";
export { passAtK } from "./arithmetic/pass-at-k.js";
export { type ScheduleName, schedule } from "./arithmetic/schedule.js";
export { splitSizes } from "./arithmetic/split-sizes.js";
export { tournamentPairs } from "./arithmetic/tournament-pairs.js";
export type { Dataset } from "./data/dataset.js";
export { chatsFromJsonl } from "./data/json-lines.js";
export type { PromptCompletion, TrainingExample } from "./data/training-example.js";
export type { PreferencePair } from "./datum/preference-pair.js";
export {
  type Chat,
  type ChatMessage,
  type SupervisedDatumOptions,
  supervisedDatum,
} from "./datum/supervised-datum.js";
export { type TopKTokens, topKDatum } from "./datum/top-k-datum.js";
export { type PolicyDatum, type Transition, trajectoryDatums } from "./datum/trajectory-datums.js";
export { type DistillBaseOptions, type DistillOptions, distill, type SingleTaughtTurn } from "./distill.js";
export { type DpoOptions, dpo } from "./dpo.js";
export {
  type EvaluatedProblem,
  type EvaluationEvent,
  type EvaluationReport,
  evaluate,
} from "./evaluate.js";
export type {
  EvaluateBaseOptions,
  EvaluateExamplesOptions,
  EvaluateProblemsOptions,
  NoProblems,
  OneSampler,
  PlayedProblems,
  ScoredProblems,
  SeveralSamplers,
} from "./evaluate-options.js";
export { type FineTuneOptions, type FineTuneResult, fineTune } from "./fine-tune.js";
export { type GeneratedAnswer, generate } from "./generate.js";
export type { GenerateOptions } from "./generate-options.js";
export type { EvaluationContext, Evaluator } from "./loops/evaluators.js";
export { type DpoLoss, dpoLoss, type PairLogprobs } from "./losses/dpo-loss.js";
export { type TopKReverseKl, topKReverseKl } from "./losses/top-k-reverse-kl.js";
export { klMetrics, stepKlMetrics } from "./metrics/kl-metrics.js";
export { type GroupCounts, rolloutMetrics, type TrajectoryCounts } from "./metrics/rollout-metrics.js";
export {
  bitsPerByte,
  meanNll,
  type WeighedLogprobs,
  type WeighedTargets,
} from "./metrics/supervised-metrics.js";
export { type TokenCounts, type TokenPrices, TokenUsage } from "./metrics/token-usage.js";
export { type LearningRateOptions, learningRateFor } from "./models/learning-rate-for.js";
export { type LoraParametersOptions, loraParameters } from "./models/lora-parameters.js";
export { rl } from "./rl.js";
export type { RlBaseOptions, RlOptions, SeveralTurns, SingleTurn } from "./rl-options.js";
export type { Episode, Judge, Prompt, Reply, Reward } from "./rollout/episode.js";
export type { EvaluatedAnswer } from "./rollout/evaluated-answer.js";
export type { RolloutLimit } from "./rollout/limits.js";
export type { RolloutOptions } from "./rollout/rollout-options.js";
export type { FailurePolicy, GroupRewards, Trajectory } from "./rollout/rollout-rules.js";
export type {
  JsonSchema,
  StandardOutcome,
  StandardToolSchema,
  Tool,
  ToolContext,
  ToolResult,
  Tools,
} from "./rollout/tool.js";
export type { AnswerCounts, GenerateResult, GenerateRun } from "./run/generate-run.js";
export type { SamplerChoice } from "./run/open-sampler.js";
export type { Metrics, RecipeEvent, SavedCheckpoint } from "./run/recipe-event.js";
export type { RecipeOptions } from "./run/recipe-options.js";
export type { RecipeRun } from "./run/recipe-run.js";
export type { TrainingResult } from "./run/training-result.js";
export { sft } from "./sft.js";
export type { SftOptions } from "./sft-options.js";
export type { RolloutTrainingOptions } from "./train-on-rollouts.js";
