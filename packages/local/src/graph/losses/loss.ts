import type { GraphBuilder } from "../../onnx/graph-builder.js";
import type { Value } from "../../onnx/value.js";

/** What a loss may read. All are `[rows, time, K]` float32 (K = 1 except for cross entropy) but `beta`, a scalar. */
export interface LossInputs {
  /** p, the learner's log-probability of each target. */
  readonly logprobs: Value;
  /** w, which multiplies each token's loss; 0 masks the token, and padding has 0. */
  readonly weights: Value;
  /** q, the log-probability recorded when the token was sampled. */
  readonly samplerLogprobs: Value;
  /** A */
  readonly advantages: Value;
  /** Bounds of the ratio `exp(p − q)` itself. */
  readonly clipLow: Value;
  readonly clipHigh: Value;
  readonly beta: Value;
}

export interface Loss {
  /** Loss of each token; the loss of a datum is their plain sum. */
  readonly loss: Value;
  /** dL/dp of each token. */
  readonly gradient: Value;
}

/** Writes a loss and its derivative into a graph. A masked token gives exactly 0 in both, however large p is. */
export type LossFunction = (graph: GraphBuilder, inputs: LossInputs) => Loss;
