import type {
  Datum,
  ForwardBackwardRequest,
  LossFnConfig,
  ModelInputChunk,
  ProvenanceSpan,
} from "@tinkex/types";
import type { BodyMemory } from "../body-memory.js";
import { ProtoWriter } from "../proto-bytes/proto-writer.js";
import { TensorEntries, tensorCapacity } from "../proto-tensor/write-tensor.js";
import { bytesOfChunk } from "./check-chunk.js";
import { checkForwardBackward, elementError, invalid } from "./check-forward-backward.js";

/**
 * The protobuf form of a training request, in one walk and one allocation: typed arrays are copied as blocks, lists number by
 * number and checked on the way. Written from its end, see {@link ProtoWriter}, into spare memory where there is some.
 *
 * @throws ValidationError that names datum, key and index
 */
export function writeForwardBackward(
  request: ForwardBackwardRequest,
  memory?: BodyMemory,
  isChecked = false,
): Uint8Array<ArrayBuffer> {
  if (!isChecked) checkForwardBackward(request);
  const capacity = forwardBackwardRoom(request);
  const { data, loss_fn: lossFn, loss_fn_config: config } = request.forward_backward_input;
  const writer = new ProtoWriter(memory?.take(capacity) ?? new Uint8Array(capacity));
  if (config !== undefined) writeTaggedConfig(writer, config);
  writer.varintField(6, request.forward_only === true ? 1 : 0);
  if (config !== undefined) writeNumberConfig(writer, config);
  writer.stringField(4, lossFn);
  const entries = new TensorEntries(writer);
  for (let index = data.length - 1; index >= 0; index--) {
    const datum = data[index];
    if (datum !== undefined) writeDatum(writer, entries, datum, index);
  }
  writer.varintField(2, request.seq_id);
  writer.stringField(1, request.model_id);
  return writer.finish();
}

/** Measures the room that a checked request needs as protobuf, in bytes. Looks at lengths alone. */
function forwardBackwardRoom(request: ForwardBackwardRequest): number {
  const { data, loss_fn_config: config = {} } = request.forward_backward_input;
  let room = 256 + request.model_id.length + 64 * Object.keys(config).length;
  for (const { model_input: input, loss_fn_inputs: tensors } of data) {
    room += 16;
    for (const chunk of input.chunks) room += 32 + chunkBytes(chunk);
    for (const key in tensors) {
      const tensor = tensors[key];
      if (tensor !== undefined) room += tensorCapacity(key, tensor);
    }
  }
  return room;
}

/** Bytes of a chunk's content as protobuf. */
function chunkBytes(chunk: ModelInputChunk): number {
  if ("tokens" in chunk) return chunk.tokens.length * 4;
  if ("dmel" in chunk) return chunk.dmel.length;
  return "data" in chunk ? chunk.data.length : 0;
}

function writeDatum(writer: ProtoWriter, entries: TensorEntries, datum: Datum, index: number): void {
  const mark = writer.length;
  const { model_input_spans: inputSpans, loss_fn_input_spans: lossSpans } = datum;
  if (lossSpans !== undefined) writeSpans(writer, 4, lossSpans);
  if (inputSpans !== undefined) writeSpans(writer, 3, inputSpans);
  const keys = Object.keys(datum.loss_fn_inputs);
  for (let position = keys.length - 1; position >= 0; position--) {
    const key = keys[position] ?? "";
    const tensor = datum.loss_fn_inputs[key];
    if (tensor === undefined) continue;
    const fault = entries.write(2, position, key, tensor);
    if (fault !== undefined) throw elementError(index, key, fault);
  }
  const { chunks } = datum.model_input;
  for (let position = chunks.length - 1; position >= 0; position--) {
    const chunk = chunks[position];
    if (chunk !== undefined) writeChunk(writer, chunk, index, position);
  }
  writer.message(3, mark);
}

function writeChunk(writer: ProtoWriter, chunk: ModelInputChunk, datum: number, position: number): void {
  const outer = writer.length;
  if ("tokens" in chunk) {
    const bad = writeTokens(writer, chunk.tokens);
    if (bad !== -1) {
      throw invalid(
        `data[${datum}].model_input.chunks[${position}].tokens[${bad}] must be an integer of 32 bits, not ${String(chunk.tokens[bad])}`,
        ["data", datum, "model_input", "chunks", position, "tokens", bad],
      );
    }
    writer.message(1, outer);
  } else if ("dmel" in chunk) {
    writeBytes(writer, 1, bytesOfChunk(chunk.dmel, "dmel", datum, position));
    writer.message(3, outer);
  } else if ("data" in chunk) {
    if (chunk.expected_tokens !== undefined) writer.presentVarint(3, chunk.expected_tokens);
    writer.stringField(2, chunk.format);
    writeBytes(writer, 1, bytesOfChunk(chunk.data, "data", datum, position));
    writer.message(2, outer);
  } else {
    throw invalid(
      `data[${datum}].model_input.chunks[${position}] is an image_asset_pointer: training requests over protobuf take the image itself (type image)`,
      ["data", datum, "model_input", "chunks", position],
    );
  }
  writer.message(1, outer);
}

/** Gives the index of a token that is not an int32, or -1. */
function writeTokens(writer: ProtoWriter, tokens: readonly number[] | Int32Array): number {
  if (tokens.length === 0) return -1;
  const mark = writer.length;
  let bad = -1;
  if (tokens instanceof Int32Array) writer.elements(tokens);
  else bad = writer.int32(tokens);
  writer.message(1, mark);
  return bad;
}

function writeBytes(writer: ProtoWriter, field: number, bytes: Uint8Array): void {
  if (bytes.length > 0) writer.bytesField(field, bytes);
}

function writeSpans(writer: ProtoWriter, field: number, spans: readonly ProvenanceSpan[]): void {
  for (const span of spans.toReversed()) {
    const mark = writer.length;
    writer.varintField(3, span.length);
    writer.varintField(2, span.offset ?? 0);
    writer.stringField(1, span.sequence_id);
    writer.message(span.type === "prompt_tokens" ? 1 : 2, mark);
    writer.message(field, mark);
  }
}

/** The older map, of doubles alone. */
function writeNumberConfig(writer: ProtoWriter, config: LossFnConfig): void {
  for (const [key, value] of Object.entries(config).toReversed()) {
    if (typeof value !== "number") continue;
    const mark = writer.length;
    writer.doubleField(2, value);
    writer.presentString(1, key);
    writer.message(5, mark);
  }
}

/** The newer map (0.38), of numbers and texts; a server that knows it ignores the older one. */
function writeTaggedConfig(writer: ProtoWriter, config: LossFnConfig): void {
  for (const [key, value] of Object.entries(config).toReversed()) {
    const mark = writer.length;
    if (typeof value === "number") writer.doubleField(1, value);
    else writer.presentString(2, value);
    writer.message(2, mark);
    writer.presentString(1, key);
    writer.message(7, mark);
  }
}
