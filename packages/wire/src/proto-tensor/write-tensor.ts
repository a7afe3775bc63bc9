import { badElement, isSparse, type TensorData, type TensorFault } from "@tinkex/types";
import type { ProtoWriter } from "../proto-bytes/proto-writer.js";
import { protoDtype } from "./dtype.js";

/** Writes a `Tensor` message as this field. Gives what is wrong with an element, if anything. */
export function writeTensor(writer: ProtoWriter, field: number, tensor: TensorData): TensorFault | undefined {
  const mark = writer.length;
  if (tensor.shape !== undefined) writer.packedVarints(4, tensor.shape);
  // Not looked up by name, which costs more than the rest of this function.
  writer.varintField(3, tensor.dtype === "int64" ? protoDtype.int64 : protoDtype.float32);
  // Members of a oneof: written also when there are no elements.
  const fault = isSparse(tensor) ? writeSparse(writer, tensor) : writeElements(writer, 1, tensor);
  writer.message(field, mark);
  return fault;
}

/** The index lists are int64. */
function writeSparse(writer: ProtoWriter, tensor: TensorData): TensorFault | undefined {
  const mark = writer.length;
  const { sparse_crow_indices: crow = [], sparse_col_indices: columns = [] } = tensor;
  if (columns.length > 0) writer.int64Field(3, columns);
  if (crow.length > 0) writer.int64Field(2, crow);
  const fault = tensor.data.length > 0 ? writeElements(writer, 1, tensor) : undefined;
  writer.message(2, mark);
  return fault;
}

/** Writes the elements of a tensor as a bytes field: a typed array of the dtype's width as a block. */
export function writeElements(
  writer: ProtoWriter,
  field: number,
  tensor: TensorData,
): TensorFault | undefined {
  const { data, dtype } = tensor;
  if (data instanceof Float32Array || data instanceof BigInt64Array) {
    writer.elementsField(field, data);
    return undefined;
  }
  if (data instanceof Int32Array) {
    writer.widenedField(field, data);
    return undefined;
  }
  const index =
    dtype === "int64"
      ? writer.int64Field(field, data)
      : writer.float32Field(field, data as readonly number[]);
  return index === -1 ? undefined : badElement(dtype, index, data[index]);
}

/** Bytes per element of a dtype. */
export function elementBytes(tensor: TensorData): number {
  return tensor.dtype === "int64" ? 8 : 4;
}

/** Room for a tensor in protobuf, framing and key included. */
export function tensorCapacity(key: string, tensor: TensorData): number {
  const indices = (tensor.sparse_crow_indices?.length ?? 0) + (tensor.sparse_col_indices?.length ?? 0);
  return tensor.data.length * elementBytes(tensor) + indices * 8 + key.length + 64;
}
