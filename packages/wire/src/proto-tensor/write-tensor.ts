import { badElement, isSparse, type TensorData, type TensorFault } from "@tinkex/types";
import type { ProtoWriter } from "../proto-bytes/proto-writer.js";
import { protoDtype } from "./dtype.js";
import { elementBytes, sparseCsrSize } from "./tensor-size.js";

/** Writes the content of a `Tensor` message. Gives what is wrong with an element, if anything. */
export function writeTensor(writer: ProtoWriter, tensor: TensorData): TensorFault | undefined {
  const fault = isSparse(tensor) ? writeSparse(writer, tensor) : writeDense(writer, tensor);
  writer.varintField(3, protoDtype[tensor.dtype]);
  writer.packedVarints(4, tensor.shape ?? []);
  return fault;
}

function writeDense(writer: ProtoWriter, tensor: TensorData): TensorFault | undefined {
  // A member of a oneof: written also when there are no elements.
  writer.delimited(1, tensor.data.length * elementBytes(tensor));
  return writeElements(writer, tensor);
}

function writeSparse(writer: ProtoWriter, tensor: TensorData): TensorFault | undefined {
  writer.delimited(2, sparseCsrSize(tensor));
  let fault: TensorFault | undefined;
  if (tensor.data.length > 0) {
    writer.delimited(1, tensor.data.length * elementBytes(tensor));
    fault = writeElements(writer, tensor);
  }
  for (const [field, indices] of [
    [2, tensor.sparse_crow_indices ?? []],
    [3, tensor.sparse_col_indices ?? []],
  ] as const) {
    if (indices.length === 0) continue;
    writer.delimited(field, indices.length * 8);
    writer.int64List(indices);
  }
  return fault;
}

function writeElements(writer: ProtoWriter, { data, dtype }: TensorData): TensorFault | undefined {
  if (data instanceof Float32Array || data instanceof BigInt64Array) {
    writer.elements(data);
    return undefined;
  }
  const index = dtype === "int64" ? writer.int64List(data) : writer.float32List(data as readonly number[]);
  return index === -1 ? undefined : badElement(dtype, index, data[index]);
}
