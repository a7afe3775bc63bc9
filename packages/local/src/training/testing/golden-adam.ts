import type { AdamStep } from "../../engine/engine.js";

export interface GoldenAdam {
  readonly learning_rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weight_decay: number;
  readonly grad_clip_norm: number;
}

export const goldenAdamStep = (adam: GoldenAdam): AdamStep => ({
  learningRate: adam.learning_rate,
  beta1: adam.beta1,
  beta2: adam.beta2,
  epsilon: adam.eps,
  weightDecay: adam.weight_decay,
  gradientClipNorm: adam.grad_clip_norm,
});
