import {
  type ForwardBackwardOutput,
  type NamedTensors,
  type TensorData,
  ValidationError,
} from "@tinkex/types";
import {
  DOUBLE_FIELD_SIZE,
  delimitedSize,
  packedVarintsSize,
  presentStringSize,
  stringFieldSize,
  varintFieldSize,
} from "../proto-bytes/field-size.js";
import { ProtoWriter } from "../proto-bytes/proto-writer.js";
import { protoDtype } from "../proto-tensor/dtype.js";
import { elementBytes } from "../proto-tensor/tensor-size.js";

/** Datums that follow each other and whose tensors agree in name, dtype and trailing shape: one `ArrayRecord`. */
interface Batch {
  readonly signature: string;
  readonly datums: NamedTensors[];
}

/** The protobuf form of a training result, as a server gives it. */
export function writeForwardBackwardOutput(output: ForwardBackwardOutput): Uint8Array<ArrayBuffer> {
  const batches = batchesOf(output.loss_fn_outputs);
  const metrics = Object.entries(output.metrics);
  const metricSize = (name: string): number => presentStringSize(name) + DOUBLE_FIELD_SIZE;
  const size =
    stringFieldSize(output.loss_fn_output_type) +
    batches.reduce((sum, batch) => sum + delimitedSize(batchSize(batch, output.loss_fn_output_type)), 0) +
    metrics.reduce((sum, [name]) => sum + delimitedSize(metricSize(name)), 0);
  const writer = new ProtoWriter(size);
  writer.stringField(1, output.loss_fn_output_type);
  for (const batch of batches) writeBatch(writer, batch, output.loss_fn_output_type);
  for (const [name, value] of metrics) {
    writer.delimited(3, metricSize(name));
    writer.presentString(1, name);
    writer.doubleField(2, value);
  }
  return writer.finish();
}

function batchesOf(outputs: readonly NamedTensors[]): Batch[] {
  const batches: Batch[] = [];
  for (const [index, datum] of outputs.entries()) {
    const signature = signatureOf(datum, index);
    const last = batches.at(-1);
    if (last?.signature === signature) last.datums.push(datum);
    else batches.push({ signature, datums: [datum] });
  }
  return batches;
}

function signatureOf(datum: NamedTensors, index: number): string {
  const parts = Object.entries(datum).map(([key, tensor]) => {
    if (tensor.sparse_crow_indices !== undefined) {
      const message = `loss_fn_outputs[${index}].${key} is sparse: results carry dense tensors only`;
      throw new ValidationError(message, { path: ["loss_fn_outputs", index, key] });
    }
    return JSON.stringify([key, tensor.dtype, trailingShape(tensor)]);
  });
  return parts.sort().join();
}

function trailingShape(tensor: TensorData): readonly number[] {
  return tensor.shape?.slice(1) ?? [];
}

function keysOf(batch: Batch): readonly string[] {
  return Object.keys(batch.datums[0] ?? {});
}

function tensorsOf(batch: Batch, key: string): readonly TensorData[] {
  // Equal signatures mean that every datum of the batch has the key.
  return batch.datums.flatMap((datum) => datum[key] ?? []);
}

function batchSize(batch: Batch, typeTag: string): number {
  const fields = keysOf(batch).reduce(
    (sum, key) => sum + delimitedSize(fieldSize(key, tensorsOf(batch, key))),
    0,
  );
  return stringFieldSize(typeTag) + fields + varintFieldSize(batch.datums.length);
}

function fieldSize(key: string, tensors: readonly TensorData[]): number {
  return presentStringSize(key) + delimitedSize(batchedTensorSize(tensors));
}

function dataBytes(tensors: readonly TensorData[]): number {
  return tensors.reduce((sum, tensor) => sum + tensor.data.length * elementBytes(tensor), 0);
}

function batchedTensorSize(tensors: readonly TensorData[]): number {
  const bytes = dataBytes(tensors);
  const [first] = tensors;
  return (
    (bytes === 0 ? 0 : delimitedSize(bytes)) +
    delimitedSize((tensors.length + 1) * 8) +
    varintFieldSize(first === undefined ? 0 : protoDtype[first.dtype]) +
    packedVarintsSize(first === undefined ? [] : trailingShape(first))
  );
}

function writeBatch(writer: ProtoWriter, batch: Batch, typeTag: string): void {
  writer.delimited(2, batchSize(batch, typeTag));
  writer.stringField(1, typeTag);
  for (const key of keysOf(batch)) {
    const tensors = tensorsOf(batch, key);
    writer.delimited(2, fieldSize(key, tensors));
    writer.presentString(1, key);
    writer.delimited(2, batchedTensorSize(tensors));
    writeBatchedTensor(writer, tensors);
  }
  writer.varintField(3, batch.datums.length);
}

function writeBatchedTensor(writer: ProtoWriter, tensors: readonly TensorData[]): void {
  const offsets = [0];
  const bytes = dataBytes(tensors);
  if (bytes > 0) writer.delimited(1, bytes);
  for (const tensor of tensors) {
    writeElements(writer, tensor);
    offsets.push((offsets.at(-1) ?? 0) + tensor.data.length * elementBytes(tensor));
  }
  writer.delimited(2, offsets.length * 8);
  writer.int64List(offsets);
  const [first] = tensors;
  if (first === undefined) return;
  writer.varintField(3, protoDtype[first.dtype]);
  writer.packedVarints(4, trailingShape(first));
}

function writeElements(writer: ProtoWriter, { data, dtype }: TensorData): void {
  if (data instanceof Float32Array || data instanceof BigInt64Array) writer.elements(data);
  else if (dtype === "int64") writer.int64List(data);
  else writer.float32List(data as readonly number[]);
}
