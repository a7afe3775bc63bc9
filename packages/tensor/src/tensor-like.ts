import type { TensorData, TfTensorLike } from "@tinkex/base";

/** A typed array whose elements are numbers. */
export type NumberTypedArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint8ClampedArray
  | Uint16Array
  | Uint32Array;

/** A typed array whose elements are bigints. */
export type BigIntTypedArray = BigInt64Array | BigUint64Array;

/** One element of a list. Booleans count as 0 and 1. */
export type TensorElement = number | bigint | boolean;

/** A list, or lists of equal length nested to any depth, in row-major order. */
export type NestedList = readonly TensorElement[] | readonly NestedList[];

/** Everything that is accepted where a tensor is wanted. */
export type TensorLike =
  | TensorElement
  | NestedList
  | NumberTypedArray
  | BigIntTypedArray
  | TensorData
  | TfTensorLike;
