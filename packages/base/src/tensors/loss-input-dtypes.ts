import type { TensorDtype } from "./tensor-data.js";

/** The element type a plain list gets under each key that the built-in losses read. */
export const lossInputDtypes: Readonly<Record<string, TensorDtype>> = {
  target_tokens: "int64",
  weights: "float32",
  advantages: "float32",
  logprobs: "float32",
  clip_low_threshold: "float32",
  clip_high_threshold: "float32",
  sequence_ratio_mask: "float32",
};
