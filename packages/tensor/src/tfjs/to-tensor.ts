import type { Tensor } from "@tensorflow/tfjs-core";
import type { TensorData } from "@tinkex/base";
import type { PadOptions } from "../pad-value.js";
import { toDense } from "../to-dense.js";
import { toInt32Array } from "../to-int32-array.js";
import { checkBackend } from "./check-backend.js";
import { tf } from "./tf.js";

/**
 * Makes a `tf.Tensor` on the active backend, for the caller to dispose of: `float32` of a float32 tensor, `int32` of an int64
 * one, in the same shape. A sparse tensor is unfolded. The cpu backend keeps the memory of a `Float32Array` or `Int32Array` as
 * it is, without a copy: do not change the array while the tensor is in use.
 *
 * @throws ValidationError naming the index of an int64 value that int32 cannot hold, for what `toDense` refuses, and where tfjs has no
 * backend
 */
export function toTensor(tensor: TensorData, options: PadOptions = {}): Tensor {
  const dense = toDense(tensor, options);
  checkBackend(tf);
  const { data, dtype, shape = [dense.data.length] } = dense;
  if (dtype === "float32") {
    return tf.tensor(
      data instanceof Float32Array ? data : Float32Array.from(data, Number),
      [...shape],
      dtype,
    );
  }
  return tf.tensor(toInt32Array(data, options), [...shape], "int32");
}
