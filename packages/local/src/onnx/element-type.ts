/** Element types the graphs use. */
export type ElementType = "float32" | "int32" | "int64" | "bool" | "uint8" | "uint4";

/** Numbers of one element type, as the runtimes take and give them. */
export interface ElementArrays {
  readonly float32: Float32Array;
  readonly int32: Int32Array;
  readonly int64: BigInt64Array;
  readonly bool: Uint8Array;
  readonly uint8: Uint8Array;
  /** Two in a byte, the first in its lower half. */
  readonly uint4: Uint8Array;
}

/** ONNX's number for each element type (`TensorProto.DataType`). */
export const elementTypeCodes: Readonly<Record<ElementType, number>> = {
  float32: 1,
  uint8: 2,
  int32: 6,
  int64: 7,
  bool: 9,
  uint4: 21,
};

const elementBits: Readonly<Record<ElementType, number>> = {
  float32: 32,
  uint8: 8,
  int32: 32,
  int64: 64,
  bool: 8,
  uint4: 4,
};

/** Bytes of a tensor with this many elements. */
export function bytesOfElements(type: ElementType, count: number): number {
  return Math.ceil((count * elementBits[type]) / 8);
}
