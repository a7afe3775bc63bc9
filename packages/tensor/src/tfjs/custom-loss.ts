import type { CustomLoss } from "@tinkex/types";
import { type CustomLossOptions, checkCustomLoss } from "./custom-loss-options.js";
import { differentiateParts, type LossPart } from "./custom-loss-part.js";
import { sumParts } from "./custom-loss-sum.js";
import type { TfLoss } from "./custom-loss-value.js";

/**
 * Makes, of a function of tensors, the custom loss that `forwardBackwardCustom` takes: tfjs takes its gradient, on the active
 * backend. Tensors made on the way are disposed of, also when the function throws; those it captures are left alone.
 *
 * The function must be synchronous. What it has to wait for is fetched by an async function around the custom loss.
 *
 * @example
 * training.forwardBackwardCustom(data, customLoss((_data, _logprobs, joined) => ({ loss: tf.neg(tf.sum(joined)) })))
 * @throws ValidationError at once for wrong arguments; when it runs, for a loss that is not one finite number, or does not depend on the log-probabilities
 */
export function customLoss(loss: TfLoss, options: CustomLossOptions = {}): CustomLoss {
  checkCustomLoss(loss, options);
  const part: LossPart = {
    label: "the custom loss",
    evaluate: (data, { logprobs, joined }) => loss(data, logprobs, joined),
  };
  return async (data, logprobs) => {
    const parts = await differentiateParts([part], data, logprobs);
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
