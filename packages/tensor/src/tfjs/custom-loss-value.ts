import type { Tensor, Tensor1D } from "@tensorflow/tfjs-core";
import { describeValue, elementCount, isTfTensorLike, ValidationError } from "@tinkex/base";
import type { Datum } from "@tinkex/types";

/** Values that a loss of tensors gives. */
export interface TfLossValue {
  /** The value that is minimised: one float32 element. */
  readonly loss: Tensor;
  /** Numbers, or tensors of one element, for the metrics of the pass. */
  readonly metrics?: Readonly<Record<string, number | Tensor>> | undefined;
}

/**
 * A loss of the caller's: a function, in operations of tfjs, of log-probabilities. It must not be async.
 *
 * @param data - the datums as they were given, with all their inputs
 * @param logprobs - log-probabilities of each datum's `target_tokens`, `[N]` or `[N, K]`
 * @param joined - the same in one row, datum after datum; for a large batch this is many times faster. Use either, or both
 */
export type TfLoss = (data: readonly Datum[], logprobs: readonly Tensor[], joined: Tensor1D) => TfLossValue;

/**
 * Checks that the value which a caller's function returned can be differentiated, and gives it.
 *
 * @param label - what the function is to the caller, for messages: `the custom loss`
 * @throws ValidationError saying what is wrong with it
 */
export function checkLossValue(returned: unknown, label: string): TfLossValue {
  if (isPromise(returned)) {
    // It may reject once its tensors are gone; that is not a second error.
    Promise.resolve(returned).catch(() => {});
    throw new ValidationError(
      `${label} returned a promise: tfjs differentiates what is computed before the function returns. Await what it needs ` +
        "first, in an async function around it: async (data, logprobs) => customLoss(withReference(await reference))(data, logprobs)",
    );
  }
  const { loss, metrics } = (typeof returned === "object" ? (returned ?? {}) : {}) as Partial<TfLossValue>;
  if (!isTfTensorLike(loss)) {
    const got = isTfTensorLike(returned) ? "the tensor itself" : describeValue(loss ?? returned);
    throw new ValidationError(`${label} must return { loss, metrics? } with a tensor as loss, got ${got}`);
  }
  if (elementCount(loss.shape) !== 1) {
    throw new ValidationError(
      `${label} has shape [${loss.shape.join(", ")}]: reduce it to one number, e.g. with tf.sum`,
    );
  }
  if (loss.dtype !== "float32") {
    throw new ValidationError(`${label} has dtype ${loss.dtype}, which has no gradient: it must be float32`);
  }
  for (const [name, metric] of Object.entries(metrics ?? {})) {
    if (typeof metric === "number" || (isTfTensorLike(metric) && elementCount(metric.shape) === 1)) continue;
    throw new ValidationError(
      `the metric ${JSON.stringify(name)} of ${label} must be a number or a tensor of one`,
    );
  }
  return { loss, metrics };
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
