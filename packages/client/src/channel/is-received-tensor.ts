import type { ReceivedTensor, TensorData } from "@tinkex/types";

/** Tells whether a tensor of an answer has the typed array that its type promises: decoders of answers make one of it, by dtype. */
export function isReceivedTensor(tensor: TensorData): tensor is ReceivedTensor {
  const { data, dtype } = tensor;
  return dtype === "float32" ? data instanceof Float32Array : data instanceof BigInt64Array;
}
