import type { CustomLoss } from "@tinkex/types/base";
import { differentiateParts } from "./custom-loss-part.js";
import { type CustomLossOptions, sumParts } from "./custom-loss-sum.js";
import type { TfLoss } from "./custom-loss-value.js";

/**
 * Makes, of a function of tensors, the custom loss that `forwardBackwardCustom` takes: tfjs takes its gradient, on the active
 * backend. Tensors made on the way are disposed of, also when the function throws; those it captures are left alone.
 *
 * The function must be synchronous. What it has to wait for is fetched by an async function around the custom loss.
 *
 * @example
 * training.forwardBackwardCustom(data, customLoss((_, logprobs) => ({ loss: tf.neg(tf.sum(tf.concat(logprobs))) })))
 * @throws ValidationError, when it runs, for a loss that is not one finite number, or does not depend on the log-probabilities
 */
export function customLoss(loss: TfLoss, options: CustomLossOptions = {}): CustomLoss {
  return async (data, logprobs) => {
    const parts = await differentiateParts([{ label: "the custom loss", evaluate: loss }], data, logprobs);
    return {
      ...sumParts(
        parts.map((value) => ({ value, weight: 1 })),
        logprobs,
        options,
      ),
      metrics: Object.assign({}, ...parts.map(({ metrics }) => metrics)),
    };
  };
}
