import type { Tensor } from "@tensorflow/tfjs-core";
import { type Datum, ValidationError } from "@tinkex/types/base";
import { TensorData } from "../../tensor-data.js";
import type { TensorLike } from "../../tensor-like.js";
import { isTfTensorLike } from "../../tf-tensor-like.js";
import { tf } from "../tf.js";

/**
 * Where log-probabilities to compare with come from: a key of `loss_fn_inputs` (custom losses see every input, the service
 * only targets and weights), or a function of the datum.
 */
export type Reference = string | ((datum: Datum, datumIndex: number) => TensorLike);

/**
 * The reference of each datum, constant, in the shape of its log-probabilities.
 *
 * @throws ValidationError naming the datum whose reference is missing or of another length
 */
export function referenceLogprobs(
  reference: Reference,
  data: readonly Datum[],
  logprobs: readonly Tensor[],
): Tensor[] {
  return logprobs.map(({ shape, size }, datumIndex) => {
    const datum = data[datumIndex];
    const given = datum === undefined ? undefined : referenceOf(reference, datum, datumIndex);
    const place = `data[${datumIndex}]${typeof reference === "string" ? `.loss_fn_inputs.${reference}` : ""}`;
    const path = ["data", datumIndex];
    if (given === undefined) {
      throw new ValidationError(
        `${place}: no reference logprobs. Give each datum its own, e.g. from an earlier \`forward\`, under a key named by \`reference\``,
        { path },
      );
    }
    const tensor = isTfTensorLike(given)
      ? tf.clone(given as Tensor)
      : tf.tensor(TensorData.from(given, { dtype: "float32", datumIndex }).data as Float32Array);
    if (tensor.size !== size) {
      throw new ValidationError(`${place} has ${tensor.size} reference logprobs, the datum ${size}`, {
        path,
      });
    }
    return tf.reshape(tensor, shape);
  });
}

function referenceOf(reference: Reference, datum: Datum, datumIndex: number): TensorLike | undefined {
  return typeof reference === "string" ? datum.loss_fn_inputs[reference] : reference(datum, datumIndex);
}
