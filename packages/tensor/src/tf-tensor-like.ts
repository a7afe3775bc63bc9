import type { TensorDtype } from "@tinkex/base";
import { type TensorPlace, tensorError } from "./tensor-place.js";

/** The part of a tfjs `Tensor` that is read here; recognised by shape, so that tfjs is never loaded. */
export interface TfTensorLike {
  readonly shape: readonly number[];
  readonly dtype: string;
  /** The values in row-major order; backends that can only answer later throw. */
  dataSync(): ArrayLike<unknown>;
  /** The same, on every backend. */
  data(): Promise<ArrayLike<unknown>>;
}

/** Tells whether `value` looks like a tfjs tensor. */
export function isTfTensorLike(value: unknown): value is TfTensorLike {
  return (
    typeof value === "object" &&
    value !== null &&
    "dataSync" in value &&
    typeof value.dataSync === "function" &&
    "data" in value &&
    typeof value.data === "function" &&
    "shape" in value &&
    Array.isArray(value.shape)
  );
}

/** Gives the dtype that the elements of a tf.Tensor get. @throws ValidationError for one without a counterpart */
export function tfTensorDtype(tensor: TfTensorLike, place: TensorPlace): TensorDtype {
  if (tensor.dtype === "float32") return "float32";
  if (tensor.dtype === "int32" || tensor.dtype === "bool") return "int64";
  throw tensorError(place, `a tf.Tensor of dtype ${tensor.dtype} has no counterpart; cast it first`);
}

/** Makes the error for a tf.Tensor that its backend cannot read. */
export function tfTensorFault(error: unknown, place: TensorPlace, remedy: string): Error {
  const problem = error instanceof Error ? error.message : String(error);
  return tensorError(place, `the tf.Tensor cannot be read (${problem})${remedy}`);
}
