import type { TensorDtype, TfTensorLike } from "@tinkex/base";
import { type TensorPlace, tensorError } from "./tensor-place.js";

/** Gives the dtype that the elements of a tf.Tensor get. @throws ValidationError for one without a counterpart */
export function tfTensorDtype(tensor: TfTensorLike, place: TensorPlace): TensorDtype {
  if (tensor.dtype === "float32") return "float32";
  if (tensor.dtype === "int32" || tensor.dtype === "bool") return "int64";
  throw tensorError(place, `a tf.Tensor of dtype ${tensor.dtype} has no counterpart; cast it first`);
}

/** Makes the error for a tf.Tensor that its backend cannot read. @param remedy - for one that is there */
export function tfTensorFault(
  tensor: TfTensorLike,
  error: unknown,
  place: TensorPlace,
  remedy: string,
): Error {
  const problem = error instanceof Error ? error.message : String(error);
  const isDisposed = "isDisposed" in tensor && tensor.isDisposed === true;
  const advice = isDisposed ? "; cast it before it is disposed of, or keep it with tf.keep" : remedy;
  return tensorError(place, `the tf.Tensor cannot be read (${problem})${advice}`);
}
