export { TensorData, type TensorFromOptions } from "./tensor-data.js";
export type {
  BigIntTypedArray,
  NestedList,
  NumberTypedArray,
  TensorElement,
  TensorLike,
} from "./tensor-like.js";
export type { TensorPlace } from "./tensor-place.js";
export { isTfTensorLike, type TfTensorLike } from "./tf-tensor-like.js";
export { toNumbers } from "./to-numbers.js";
export { toTypedArray } from "./to-typed-array.js";
