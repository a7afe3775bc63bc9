/** Element types the graphs use. */
export type ElementType = "float32" | "int32" | "int64" | "bool";

/** Numbers of one element type, as the runtimes take and give them. */
export interface ElementArrays {
  readonly float32: Float32Array;
  readonly int32: Int32Array;
  readonly int64: BigInt64Array;
  readonly bool: Uint8Array;
}

/** ONNX's number for each element type (`TensorProto.DataType`). */
export const elementTypeCodes: Readonly<Record<ElementType, number>> = {
  float32: 1,
  int32: 6,
  int64: 7,
  bool: 9,
};
