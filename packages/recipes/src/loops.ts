export { sum } from "./arithmetic/sums.js";
export { type Batches, batchesOf } from "./data/batches.js";
export { checkProvenance } from "./datum/check-provenance.js";
export { scoreTargets } from "./datum/document-of.js";
export { type LoggedDatum, numbers, plainNumbers } from "./datum/plain-numbers.js";
export type { PairDatums } from "./datum/preference-pair.js";
export type { PolicyDatum } from "./datum/trajectory-datums.js";
export { type DpoLoop, dpoLoop, referenceOf } from "./loops/dpo.js";
export {
  checkEvaluators,
  type EvaluationContext,
  type EvaluationOptions,
  type Evaluator,
  evaluatorOf,
} from "./loops/evaluators.js";
export { type RlLoop, rlLoop } from "./loops/rl.js";
export { type SupervisedLoop, supervisedLoop } from "./loops/supervised.js";
export { answerLogprob, type DpoBatchLoss, dpoBatchLoss } from "./losses/dpo-custom-loss.js";
export { checkedMetrics } from "./metrics/checked-metrics.js";
export { klMetrics } from "./metrics/kl-metrics.js";
export { optimizerMetrics } from "./metrics/optimizer-metrics.js";
export { rolloutMetrics } from "./metrics/rollout-metrics.js";
export { bitsPerByte, meanNll } from "./metrics/supervised-metrics.js";
export { type GroupData, type GroupExamples, rewardedExamples } from "./rollout/group-examples.js";
export { type EndedEpisode, endOf, meanMetrics } from "./rollout/mean-metrics.js";
export type { RolledOut, SampledGroups } from "./rollout/rollout-pipeline.js";
export { trajectoryCounts } from "./rollout/rollout-records.js";
export {
  type CheckpointPlan,
  type PendingCheckpoint,
  savedCheckpoint,
  submitCheckpoint,
} from "./run/checkpoints.js";
export type { Metrics, RecipeEvent, SavedCheckpoint } from "./run/recipe-event.js";
export { RecipeLog, type RecipeLogOptions } from "./run/recipe-log.js";
