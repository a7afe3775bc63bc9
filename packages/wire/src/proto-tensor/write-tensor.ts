import { badElement, elementCount, isSparse, type TensorFault } from "@tinkex/base";
import type { TensorData } from "@tinkex/types";
import type { ProtoWriter } from "../proto-bytes/proto-writer.js";
import { PROTO_DTYPE } from "../proto-bytes/read-elements.js";

/** Writes a `Tensor` message as this field. Gives what is wrong with an element, if anything. */
export function writeTensor(writer: ProtoWriter, field: number, tensor: TensorData): TensorFault | undefined {
  const mark = writer.length;
  writeLayout(writer, tensor);
  const content = writer.length;
  // Members of a oneof: written also when there are no elements.
  const fault = isSparse(tensor) ? writeSparse(writer, tensor) : writeElements(writer, tensor);
  writer.message(isSparse(tensor) ? 2 : 1, content);
  writer.message(field, mark);
  return fault;
}

/** Writes the fields of a `Tensor` message beside its elements. */
export function writeLayout(writer: ProtoWriter, { shape, dtype }: TensorData): void {
  if (shape !== undefined) writer.packedVarints(4, shape);
  // Not looked up by name, which would take longer than all else that is done here.
  writer.varintField(3, dtype === "int64" ? PROTO_DTYPE.int64 : PROTO_DTYPE.float32);
}

/** Writes a sparse tensor; its index lists are int64. */
function writeSparse(writer: ProtoWriter, tensor: TensorData): TensorFault | undefined {
  const { sparse_crow_indices: crow = [], sparse_col_indices: columns = [] } = tensor;
  writeIndices(writer, 3, columns);
  writeIndices(writer, 2, crow);
  if (tensor.data.length === 0) return undefined;
  const mark = writer.length;
  const fault = writeElements(writer, tensor);
  writer.message(1, mark);
  return fault;
}

function writeIndices(writer: ProtoWriter, field: number, indices: readonly number[]): void {
  if (indices.length === 0) return;
  const mark = writer.length;
  writer.int64(indices);
  writer.message(field, mark);
}

/** Writes the elements of a tensor: a typed array of the dtype's width as a block. Gives what is wrong with one, if anything. */
export function writeElements(writer: ProtoWriter, { data, dtype }: TensorData): TensorFault | undefined {
  if (data instanceof Float32Array || data instanceof BigInt64Array) {
    writer.elements(data);
    return undefined;
  }
  if (data instanceof Int32Array) {
    writer.widened(data);
    return undefined;
  }
  const index = dtype === "int64" ? writer.int64(data) : writer.float32(data);
  return index === -1 ? undefined : badElement(dtype, index, data[index]);
}

/** Bytes that an element takes as protobuf. */
export const ELEMENT_BYTES: Readonly<Record<TensorData["dtype"], number>> = { int64: 8, float32: 4 };

/** Measures the room for a tensor in protobuf, framing and key included. */
export function tensorCapacity(key: string, tensor: TensorData): number {
  const frame = key.length + 64;
  // Not looked up by name, which takes longer.
  const elementBytes = tensor.dtype === "int64" ? ELEMENT_BYTES.int64 : ELEMENT_BYTES.float32;
  // A shape is a list of small integers; the length of data of many kinds takes several times as long to read.
  const { shape } = tensor;
  if (shape !== undefined && !isSparse(tensor)) {
    const count = shape.length === 1 ? (shape[0] ?? 0) : elementCount(shape);
    return count * elementBytes + frame;
  }
  const indices = (tensor.sparse_crow_indices?.length ?? 0) + (tensor.sparse_col_indices?.length ?? 0);
  return tensor.data.length * elementBytes + indices * 8 + frame;
}

/** A part of the bytes written: the `byteLength` bytes that were the last ones when the length was `mark`. */
interface Part {
  readonly mark: number;
  readonly byteLength: number;
}

/** The entry of a dense list as it was written last: what stood before its elements, and what after them. */
interface Frame {
  readonly key: string;
  readonly dtype: TensorData["dtype"];
  readonly length: number;
  readonly before: Part;
  readonly after: Part;
}

/**
 * Writes maps of tensors by name, one map for each datum of a batch. The tensors of one name are mostly alike in length: where
 * the one written before was, the bytes around its elements are taken over, which takes a quarter of the time of making them.
 */
export class TensorEntries {
  readonly #writer: ProtoWriter;
  /** By position in the map. */
  readonly #frames: Frame[] = [];

  constructor(writer: ProtoWriter) {
    this.#writer = writer;
  }

  /**
   * Writes one entry of the map that is this field, of a tensor whose shape holds its elements. Gives what is wrong with an
   * element, if anything.
   */
  write(field: number, position: number, key: string, tensor: TensorData): TensorFault | undefined {
    const { shape } = tensor;
    if (shape?.length !== 1 || isSparse(tensor)) return this.#writeOther(field, key, tensor);
    const frame = this.#frames[position];
    // The length is that of the shape, as a check has seen.
    if (frame?.key !== key || frame.dtype !== tensor.dtype || frame.length !== shape[0])
      return this.#writeList(field, position, key, tensor);
    this.#writer.repeat(frame.after.mark, frame.after.byteLength);
    const fault = writeElements(this.#writer, tensor);
    this.#writer.repeat(frame.before.mark, frame.before.byteLength);
    return fault;
  }

  #writeList(field: number, position: number, key: string, tensor: TensorData): TensorFault | undefined {
    const writer = this.#writer;
    const start = writer.length;
    writeLayout(writer, tensor);
    const elements = writer.length;
    const fault = writeElements(writer, tensor);
    const end = writer.length;
    writer.message(1, elements);
    writer.message(2, start);
    writer.presentString(1, key);
    writer.message(field, start);
    this.#frames[position] = {
      key,
      dtype: tensor.dtype,
      length: tensor.data.length,
      before: { mark: writer.length, byteLength: writer.length - end },
      after: { mark: elements, byteLength: elements - start },
    };
    return fault;
  }

  #writeOther(field: number, key: string, tensor: TensorData): TensorFault | undefined {
    const mark = this.#writer.length;
    const fault = writeTensor(this.#writer, 2, tensor);
    this.#writer.presentString(1, key);
    this.#writer.message(field, mark);
    return fault;
  }
}
