export { isTfTensorLike, type TfTensorLike } from "@tinkex/base";
export type { PadOptions } from "./pad-value.js";
export { TensorData, type TensorFromOptions } from "./tensor-data.js";
export type {
  BigIntTypedArray,
  NestedList,
  NumberTypedArray,
  TensorElement,
  TensorLike,
} from "./tensor-like.js";
export { TensorMemory } from "./tensor-memory.js";
export type { TensorPlace } from "./tensor-place.js";
export { toDense } from "./to-dense.js";
export { type NestedNumbers, toNested } from "./to-nested.js";
export { toNumbers } from "./to-numbers.js";
export { toSparse } from "./to-sparse.js";
export { toTypedArray } from "./to-typed-array.js";
