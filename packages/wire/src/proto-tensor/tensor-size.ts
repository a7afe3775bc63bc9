import { isSparse, type TensorData } from "@tinkex/types";
import { delimitedSize, packedVarintsSize, varintFieldSize } from "../proto-bytes/field-size.js";
import { protoDtype } from "./dtype.js";

/** Bytes per element of a dtype. */
export function elementBytes(tensor: TensorData): number {
  return tensor.dtype === "int64" ? 8 : 4;
}

/** Bytes of the content of a `Tensor` message. */
export function tensorSize(tensor: TensorData): number {
  const encoding = isSparse(tensor)
    ? delimitedSize(sparseCsrSize(tensor))
    : delimitedSize(tensor.data.length * elementBytes(tensor));
  return encoding + varintFieldSize(protoDtype[tensor.dtype]) + packedVarintsSize(tensor.shape ?? []);
}

/** Bytes of the content of a `SparseCsr` message; its index lists are int64. */
export function sparseCsrSize(tensor: TensorData): number {
  const size = (length: number): number => (length === 0 ? 0 : delimitedSize(length));
  return (
    size(tensor.data.length * elementBytes(tensor)) +
    size((tensor.sparse_crow_indices?.length ?? 0) * 8) +
    size((tensor.sparse_col_indices?.length ?? 0) * 8)
  );
}
