export { customLoss } from "./tfjs/custom-loss.js";
export type { CustomLossOptions } from "./tfjs/custom-loss-options.js";
export type { TfLoss, TfLossValue } from "./tfjs/custom-loss-value.js";
export {
  type BackendChoice,
  type BackendName,
  type PickBackendOptions,
  pickBackend,
} from "./tfjs/pick-backend.js";
export { composeLoss } from "./tfjs/regularizers/compose-loss.js";
export { type ConsistencyOptions, consistency, type Pair } from "./tfjs/regularizers/consistency.js";
export { entropy } from "./tfjs/regularizers/entropy.js";
export { type GradientPenaltyOptions, gradientPenalty } from "./tfjs/regularizers/gradient-penalty.js";
export { type KlEstimator, type KlOptions, klToReference } from "./tfjs/regularizers/kl-to-reference.js";
export { l1, type NormOptions } from "./tfjs/regularizers/l1.js";
export { l2 } from "./tfjs/regularizers/l2.js";
export type { LossTerm, TermContext, TermOptions } from "./tfjs/regularizers/loss-term.js";
export type { Reference } from "./tfjs/regularizers/reference-row.js";
export { type Tfjs, tf } from "./tfjs/tf.js";
export { toTensor } from "./tfjs/to-tensor.js";
