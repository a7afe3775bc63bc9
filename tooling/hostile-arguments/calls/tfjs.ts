import {
  composeLoss,
  consistency,
  customLoss,
  entropy,
  gradientPenalty,
  klToReference,
  l1,
  l2,
  pickBackend,
  type TfLoss,
  tf,
  toTensor,
} from "@tinkex/tensor/tfjs";
import { call, type PublicCalls } from "../public-call.js";

await pickBackend({ backend: "cpu" });

/** A loss as a user writes it. */
const loss: TfLoss = (_data, _logprobs, joined) => ({ loss: tf.neg(tf.sum(joined)) });

/** Functions of the tfjs entry of `@tinkex/tensor`, on the backend that is installed. */
export const tfjsCalls: PublicCalls = {
  // Before the calls that begin with another backend: it belongs to the process.
  toTensor: call(toTensor, () => [{ data: [1, 2], dtype: "float32", shape: [2] }]),
  composeLoss: call(composeLoss, () => [loss, [l2({ weight: 0.1 })], { unusedGradients: "zero" }]),
  consistency: call(consistency, () => [{ weight: 0.1, name: "c", pairs: () => [[0, 1]] }]),
  customLoss: call(customLoss, () => [loss, { unusedGradients: "zero" }]),
  entropy: call(entropy, () => [{ weight: 0.1, name: "e" }]),
  gradientPenalty: call(gradientPenalty, () => [{ weight: 0.1, target: 1 }]),
  klToReference: call(klToReference, () => [{ weight: 0.1, reference: "ref" }]),
  l1: call(l1, () => [{ weight: 0.1 }]),
  l2: call(l2, () => [{ weight: 0.1 }]),
  pickBackend: call(pickBackend, () => [{ backend: "cpu" }]),
};
