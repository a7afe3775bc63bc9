import {
  type Datum,
  type ForwardBackwardRequest,
  fromBase64,
  type LossFnConfig,
  type ModelInputChunk,
  type ProvenanceSpan,
} from "@tinkex/types";
import { DOUBLE_FIELD_SIZE, delimitedSize, presentStringSize } from "../proto-bytes/field-size.js";
import { ProtoWriter } from "../proto-bytes/proto-writer.js";
import { tensorSize } from "../proto-tensor/tensor-size.js";
import { writeTensor } from "../proto-tensor/write-tensor.js";
import { checkForwardBackward, invalid } from "./check-forward-backward.js";
import {
  chunkContentSize,
  chunkSize,
  configValueSize,
  datumSize,
  forwardBackwardSize,
  spanContentSize,
  spanSize,
  tensorEntrySize,
} from "./forward-backward-size.js";

/**
 * The protobuf form of a training request. Sizes are computed from lengths, then everything is written into one allocation:
 * typed arrays as blocks, lists number by number, and checked in the same walk.
 *
 * @throws ValidationError that names datum, key and index
 */
export function writeForwardBackward(request: ForwardBackwardRequest): Uint8Array<ArrayBuffer> {
  checkForwardBackward(request);
  const data = request.forward_backward_input.data.map(withBytes);
  const sized = { ...request, forward_backward_input: { ...request.forward_backward_input, data } };
  const writer = new ProtoWriter(forwardBackwardSize(sized));
  const { loss_fn: lossFn, loss_fn_config: config } = request.forward_backward_input;
  writer.stringField(1, request.model_id);
  writer.varintField(2, request.seq_id);
  for (const [index, datum] of data.entries()) writeDatum(writer, datum, index);
  writer.stringField(4, lossFn);
  writeNumberConfig(writer, config ?? {});
  writer.varintField(6, request.forward_only === true ? 1 : 0);
  writeTaggedConfig(writer, config ?? {});
  return writer.finish();
}

/** The datum with its images and audio as bytes; itself when it has none in base64. */
function withBytes(datum: Datum, index: number): Datum {
  const { chunks } = datum.model_input;
  for (const [position, chunk] of chunks.entries()) {
    if (!("location" in chunk)) continue;
    throw invalid(
      `data[${index}].model_input.chunks[${position}] is an image_asset_pointer: training requests over protobuf take the image itself (type image)`,
      ["data", index, "model_input", "chunks", position],
    );
  }
  const textual = (chunk: ModelInputChunk): boolean =>
    ("data" in chunk && typeof chunk.data === "string") ||
    ("dmel" in chunk && typeof chunk.dmel === "string");
  return chunks.some(textual) ? { ...datum, model_input: { chunks: chunks.map(chunkWithBytes) } } : datum;
}

function chunkWithBytes(chunk: ModelInputChunk): ModelInputChunk {
  if ("dmel" in chunk) return { ...chunk, dmel: toBytes(chunk.dmel) };
  return "data" in chunk ? { ...chunk, data: toBytes(chunk.data) } : chunk;
}

function toBytes(bytes: Uint8Array | string): Uint8Array {
  return typeof bytes === "string" ? fromBase64(bytes) : bytes;
}

function writeDatum(writer: ProtoWriter, datum: Datum, index: number): void {
  writer.delimited(3, datumSize(datum));
  for (const [position, chunk] of datum.model_input.chunks.entries()) {
    writer.delimited(1, chunkSize(chunk));
    const bad = writeChunk(writer, chunk);
    if (bad === -1 || !("tokens" in chunk)) continue;
    throw invalid(
      `data[${index}].model_input.chunks[${position}].tokens[${bad}] must be an integer of 32 bits, not ${String(chunk.tokens[bad])}`,
      ["data", index, "model_input", "chunks", position, "tokens", bad],
    );
  }
  for (const [key, tensor] of Object.entries(datum.loss_fn_inputs)) {
    writer.delimited(2, tensorEntrySize(key, tensor));
    writer.presentString(1, key);
    writer.delimited(2, tensorSize(tensor));
    const fault = writeTensor(writer, tensor);
    if (fault === undefined) continue;
    const place = fault.index === undefined ? fault.field : `${fault.field}[${fault.index}]`;
    throw invalid(`data[${index}].loss_fn_inputs.${key}.${place} ${fault.message}`, [
      "data",
      index,
      "loss_fn_inputs",
      key,
      fault.field,
      ...(fault.index === undefined ? [] : [fault.index]),
    ]);
  }
  for (const span of datum.model_input_spans ?? []) writeSpan(writer, 3, span);
  for (const span of datum.loss_fn_input_spans ?? []) writeSpan(writer, 4, span);
}

/** Gives the index of a token that is not an int32, or -1. */
function writeChunk(writer: ProtoWriter, chunk: ModelInputChunk): number {
  const size = chunkContentSize(chunk);
  if ("tokens" in chunk) {
    writer.delimited(1, size);
    return writeTokens(writer, chunk.tokens);
  }
  if ("dmel" in chunk) {
    writer.delimited(3, size);
    writeBytes(writer, 1, chunk.dmel);
    return -1;
  }
  writer.delimited(2, size);
  if ("data" in chunk) writeBytes(writer, 1, chunk.data);
  writer.stringField(2, chunk.format);
  if (chunk.expected_tokens !== undefined) writer.presentVarint(3, chunk.expected_tokens);
  return -1;
}

function writeTokens(writer: ProtoWriter, tokens: readonly number[] | Int32Array): number {
  if (tokens.length === 0) return -1;
  writer.delimited(1, tokens.length * 4);
  if (!(tokens instanceof Int32Array)) return writer.int32List(tokens);
  writer.elements(tokens);
  return -1;
}

/** `bytes` was base64 text no longer when sizes were taken. */
function writeBytes(writer: ProtoWriter, field: number, bytes: Uint8Array | string): void {
  if (bytes.length > 0) writer.bytesField(field, toBytes(bytes));
}

function writeSpan(writer: ProtoWriter, field: number, span: ProvenanceSpan): void {
  writer.delimited(field, spanSize(span));
  writer.delimited(span.type === "prompt_tokens" ? 1 : 2, spanContentSize(span));
  writer.stringField(1, span.sequence_id);
  writer.varintField(2, span.offset ?? 0);
  writer.varintField(3, span.length);
}

/** The older map, of doubles alone. */
function writeNumberConfig(writer: ProtoWriter, config: LossFnConfig): void {
  for (const [key, value] of Object.entries(config)) {
    if (typeof value !== "number") continue;
    writer.delimited(5, presentStringSize(key) + DOUBLE_FIELD_SIZE);
    writer.presentString(1, key);
    writer.doubleField(2, value);
  }
}

/** The newer map (0.38), of numbers and texts; a server that knows it ignores the older one. */
function writeTaggedConfig(writer: ProtoWriter, config: LossFnConfig): void {
  for (const [key, value] of Object.entries(config)) {
    const size = configValueSize(value);
    writer.delimited(7, presentStringSize(key) + delimitedSize(size));
    writer.presentString(1, key);
    writer.delimited(2, size);
    if (typeof value === "number") writer.doubleField(1, value);
    else writer.presentString(2, value);
  }
}
