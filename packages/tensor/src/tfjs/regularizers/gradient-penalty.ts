import type { Tensor } from "@tensorflow/tfjs-core";
import { elementCount } from "@tinkex/base";
import { differentiate } from "../autodiff.js";
import { checkLossValue } from "../custom-loss-value.js";
import { tf } from "../tf.js";
import type { LossTerm, TermContext, TermOptions } from "./loss-term.js";
import { checkTermOptions, termOptionError } from "./term-options.js";

/** Options of {@link gradientPenalty}. */
export interface GradientPenaltyOptions extends TermOptions {
  /** Norm that each datum's gradient is drawn to. @defaultValue 0 */
  readonly target?: number | undefined;
}

/** Under the root, so that its derivative is finite where a gradient vanishes. */
const TINY = 1e-12;

/**
 * Adds `Σ (‖g‖ − target)²` over datums that have log-probabilities, `g` the gradient of the base loss with respect to the
 * datum's log-probabilities: holds the base loss back where a step in log-probability would change it much, as ratios far from
 * 1 do (Gulrajani et al. 2017; without a target, R1 of Mescheder et al. 2018). It is differentiated itself, so operations of
 * the base loss need second derivatives. A base loss that is linear in the log-probabilities has a constant gradient, and
 * nothing changes.
 */
export function gradientPenalty(options: GradientPenaltyOptions): LossTerm {
  checkTermOptions(options, { weight: true, name: true, target: true }, "gradientPenalty");
  const { weight, name = "gradient_penalty", target = 0 } = options;
  if (!Number.isFinite(target) || target < 0) {
    throw termOptionError("gradientPenalty", "target", "a norm, a finite number of 0 or more", target);
  }
  return {
    name,
    weight,
    loss: (context) => {
      const { data, logprobs, joined, leaves, base } = context;
      const { gradients } = differentiate(leaves, () => ({
        value: checkLossValue(base(data, logprobs, joined), "the custom loss").loss,
        others: [],
      }));
      const row = gradientRow(gradients, context);
      if (target === 0) return { loss: tf.sum(tf.square(row)) };
      // The wasm backend leaves the sum of no numbers undefined.
      const pieces = tf.split(row, sizesOf(context)).filter(({ size }) => size > 0);
      const ofDatums = pieces.map((gradient) => {
        const norm = tf.sqrt(tf.add(tf.sum(tf.square(gradient)), TINY));
        return tf.square(tf.sub(norm, target));
      });
      return { loss: tf.addN(ofDatums) };
    },
  };
}

/** Gives the gradient by all log-probabilities in one row: that by the row, and those by the datums' tensors where there are any. */
function gradientRow(gradients: readonly (Tensor | undefined)[], context: TermContext): Tensor {
  const { joined, datum } = context.resultsOf(gradients);
  const sizes = sizesOf(context);
  const byDatum = sizes.map((_, index) => datum(index));
  const ofRow = joined ?? tf.zeros([context.joined.size]);
  if (byDatum.every((gradient) => gradient === undefined)) return ofRow;
  const pieces = byDatum.map((gradient, index) =>
    gradient === undefined ? tf.zeros([sizes[index] ?? 0]) : tf.reshape(gradient, [-1]),
  );
  return tf.add(ofRow, tf.concat(pieces));
}

function sizesOf({ shapes }: TermContext): number[] {
  return shapes.map(elementCount);
}
