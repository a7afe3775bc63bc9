import type { AdapterParameters } from "../adapter/adapter-parameters.js";
import type { AdapterTensors, OptimizerState } from "../adapter/adapter-tensors.js";
import type { AdamStep } from "../engine/engine.js";
import { globalNorm } from "./tensor-arithmetic.js";

/**
 * One step of AdamW with decoupled weight decay, in place. `gradients` stay as they are; the caller zeroes them.
 *
 * The gradient is first scaled by `min(1, gradientClipNorm / (norm + 1e-6))`, with the norm over the whole adapter, where
 * clipping is on. ε is outside the square root; the decay uses the parameter before the update.
 *
 * @returns norm of the gradient before clipping
 */
export function adamStep(
  parameters: AdapterParameters,
  gradients: AdapterTensors,
  state: OptimizerState,
  options: AdamStep,
): { readonly gradientNorm: number } {
  const gradientNorm = globalNorm(gradients);
  const { gradientClipNorm, beta1, beta2, learningRate, epsilon, weightDecay } = options;
  state.step += 1;
  const update: Update = {
    clip: gradientClipNorm > 0 ? Math.min(1, gradientClipNorm / (gradientNorm + 1e-6)) : 1,
    beta1,
    beta2,
    epsilon,
    keep: 1 - learningRate * weightDecay,
    learningRate,
    meanCorrection: 1 / (1 - beta1 ** state.step),
    squareCorrection: 1 / (1 - beta2 ** state.step),
  };
  parameters.pairs.forEach((pair, index) => {
    const [gradient, m, v] = [gradients[index], state.m[index], state.v[index]];
    if (gradient === undefined || m === undefined || v === undefined) {
      throw new RangeError(`gradients or moments of ${pair.module} are missing`);
    }
    updateArray(pair.a, gradient.a, m.a, v.a, update);
    updateArray(pair.b, gradient.b, m.b, v.b, update);
  });
  return { gradientNorm };
}

interface Update {
  readonly clip: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly keep: number;
  readonly learningRate: number;
  readonly meanCorrection: number;
  readonly squareCorrection: number;
}

/** Each element is computed in double precision and stored as float32. */
function updateArray(
  values: Float32Array,
  gradients: Float32Array,
  means: Float32Array,
  squares: Float32Array,
  update: Update,
): void {
  const { clip, beta1, beta2, epsilon, keep, learningRate, meanCorrection, squareCorrection } = update;
  for (let index = 0; index < values.length; index += 1) {
    // The arrays are equally long; `?? 0` only satisfies the checker.
    const gradient = (gradients[index] ?? 0) * clip;
    const mean = beta1 * (means[index] ?? 0) + (1 - beta1) * gradient;
    const square = beta2 * (squares[index] ?? 0) + (1 - beta2) * gradient * gradient;
    means[index] = mean;
    squares[index] = square;
    const direction = (mean * meanCorrection) / (Math.sqrt(square * squareCorrection) + epsilon);
    values[index] = (values[index] ?? 0) * keep - learningRate * direction;
  }
}
