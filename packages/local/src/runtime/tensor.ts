import type { ElementArrays, ElementType } from "../onnx/element-type.js";

/** Numbers with a shape, row-major. */
export interface TensorOf<T extends ElementType> {
  readonly type: T;
  readonly dims: readonly number[];
  readonly data: ElementArrays[T];
}

export type Tensor = { [T in ElementType]: TensorOf<T> }[ElementType];

export function tensor<T extends ElementType>(
  type: T,
  dims: readonly number[],
  data: ElementArrays[T],
): TensorOf<T> {
  return { type, dims, data };
}
