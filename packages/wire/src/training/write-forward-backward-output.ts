import {
  checkArray,
  checkObject,
  checkString,
  describeValue,
  formatPath,
  tensorFault,
  ValidationError,
} from "@tinkex/base";
import type { ForwardBackwardOutput, NamedTensors, TensorData } from "@tinkex/types";
import { ProtoWriter } from "../proto-bytes/proto-writer.js";
import { PROTO_DTYPE } from "../proto-bytes/read-elements.js";
import { ELEMENT_BYTES, tensorCapacity } from "../proto-tensor/write-tensor.js";

/** Datums that follow each other and whose tensors agree in name, dtype and trailing shape: one `ArrayRecord`. */
interface Batch {
  readonly signature: string;
  readonly datums: NamedTensors[];
}

/** Writes a training result as protobuf, as a server gives it. Written from its end, see {@link ProtoWriter}. */
export function writeForwardBackwardOutput(output: ForwardBackwardOutput): Uint8Array<ArrayBuffer> {
  checkOutput(output);
  const writer = new ProtoWriter(new Uint8Array(capacityOf(output)));
  for (const [name, value] of Object.entries(output.metrics).toReversed()) {
    const mark = writer.length;
    writer.doubleField(2, value);
    writer.presentString(1, name);
    writer.message(3, mark);
  }
  for (const batch of batchesOf(output.loss_fn_outputs).toReversed()) {
    writeBatch(writer, batch, output.loss_fn_output_type);
  }
  writer.stringField(1, output.loss_fn_output_type);
  return writer.finish();
}

/** Checks what plain JavaScript may pass. @throws ValidationError naming datum and tensor */
function checkOutput(output: ForwardBackwardOutput): void {
  checkObject(output, "output", "{ loss_fn_output_type, loss_fn_outputs, metrics }");
  const { loss_fn_output_type: typeTag, loss_fn_outputs: outputs, metrics } = output;
  checkString(typeTag, "loss_fn_output_type", "TensorData");
  checkObject(metrics, "metrics", '{ "loss:sum": 1 }');
  for (const [name, value] of Object.entries<unknown>(metrics)) {
    if (typeof value === "number") continue;
    throw new ValidationError(`metrics.${name} must be a number, got ${describeValue(value)}`, {
      path: ["metrics", name],
    });
  }
  checkArray(outputs, "loss_fn_outputs");
  for (const [index, datum] of outputs.entries()) {
    checkObject(datum, `loss_fn_outputs[${index}]`);
    for (const [key, tensor] of Object.entries(datum)) {
      checkObject(tensor, `loss_fn_outputs[${index}].${key}`, '{ data, dtype: "float32" }');
      const fault = tensorFault(tensor);
      if (fault === undefined) continue;
      const path = ["loss_fn_outputs", index, key, fault.field];
      throw new ValidationError(`${formatPath(path)} ${fault.message}`, { path });
    }
  }
}

function capacityOf({ loss_fn_outputs, metrics }: ForwardBackwardOutput): number {
  let capacity = 256 + 64 * Object.keys(metrics).length;
  for (const datum of loss_fn_outputs) {
    for (const [key, tensor] of Object.entries(datum)) capacity += tensorCapacity(key, tensor);
  }
  return capacity;
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

function writeBatch(writer: ProtoWriter, { datums }: Batch, typeTag: string): void {
  const mark = writer.length;
  writer.varintField(3, datums.length);
  for (const key of Object.keys(datums[0] ?? {}).toReversed()) {
    const entry = writer.length;
    // Equal signatures mean that every datum of the batch has the key.
    writeBatchedTensor(
      writer,
      datums.flatMap((datum) => datum[key] ?? []),
    );
    writer.presentString(1, key);
    writer.message(2, entry);
  }
  writer.stringField(1, typeTag);
  writer.message(2, mark);
}

function writeBatchedTensor(writer: ProtoWriter, tensors: readonly TensorData[]): void {
  const [first] = tensors;
  if (first === undefined) return;
  const mark = writer.length;
  writer.packedVarints(4, trailingShape(first));
  writer.varintField(3, PROTO_DTYPE[first.dtype]);
  const offsets = [0];
  for (const tensor of tensors)
    offsets.push((offsets.at(-1) ?? 0) + tensor.data.length * ELEMENT_BYTES[tensor.dtype]);
  const index = writer.length;
  writer.int64(offsets);
  writer.message(2, index);
  const elements = writer.length;
  writer.elements(joined(tensors, first));
  writer.message(1, elements);
  writer.message(2, mark);
}

/** Joins the elements of all tensors in one array: the field holds them without a border between. */
function joined(tensors: readonly TensorData[], first: TensorData): Float32Array | BigInt64Array {
  const count = tensors.reduce((sum, { data }) => sum + data.length, 0);
  const all = first.dtype === "int64" ? new BigInt64Array(count) : new Float32Array(count);
  let position = 0;
  for (const { data } of tensors) {
    if (all instanceof Float32Array) all.set(data as ArrayLike<number>, position);
    else all.set(data instanceof BigInt64Array ? data : Array.from(data, BigInt), position);
    position += data.length;
  }
  return all;
}
