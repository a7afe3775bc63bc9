import type { Tensor } from "@tensorflow/tfjs-core";
import { differentiate } from "../autodiff.js";
import { checkLossValue } from "../custom-loss-value.js";
import { tf } from "../tf.js";
import type { LossTerm, TermOptions } from "./loss-term.js";

/** What {@link gradientPenalty} takes. */
export interface GradientPenaltyOptions extends TermOptions {
  /** Norm that each datum's gradient is drawn to. @defaultValue 0 */
  readonly target?: number | undefined;
}

/** Under the root, so that its derivative is finite where a gradient vanishes. */
const TINY = 1e-12;

/**
 * `Σ (‖g‖ − target)²` over datums, `g` the gradient of the base loss with respect to the datum's log-probabilities: holds the
 * base loss back where a step in log-probability would change it much, as ratios far from 1 do (Gulrajani et al. 2017; without
 * a target, R1 of Mescheder et al. 2018). It is differentiated itself, so operations of the base loss need second
 * derivatives. A base loss that is linear in the log-probabilities has a constant gradient, and nothing changes.
 */
export function gradientPenalty({
  weight,
  name = "gradient_penalty",
  target = 0,
}: GradientPenaltyOptions): LossTerm {
  return {
    name,
    weight,
    loss: ({ data, logprobs, base }) => {
      const { gradients } = differentiate(logprobs, () => ({
        value: checkLossValue(base(data, logprobs), "the custom loss").loss,
        others: [],
      }));
      const penalties = gradients.map((gradient) => penaltyOf(gradient, target));
      return { loss: tf.addN(penalties) };
    },
  };
}

function penaltyOf(gradient: Tensor | undefined, target: number): Tensor {
  if (gradient === undefined) return tf.scalar(target ** 2);
  const squares = tf.sum(tf.square(gradient));
  // Without a target the root would be squared again.
  return target === 0 ? squares : tf.square(tf.sub(tf.sqrt(tf.add(squares, TINY)), target));
}
