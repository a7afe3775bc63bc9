import { checkObject, describeValue } from "@tinkex/base";
import type { ApiGeneration, Datum, ForwardBackwardRequest, ModelInputChunk } from "@tinkex/types";
import type { BodyMemory } from "../body-memory.js";
import { type EncodedBody, PROTOBUF_TYPE } from "../encoded-body.js";
import { ProtoWriter } from "../proto-bytes/proto-writer.js";
import { TensorEntries, tensorCapacity } from "../proto-tensor/write-tensor.js";
import { bytesOfChunk } from "./check-chunk.js";
import { checkForwardBackward, elementError, invalid } from "./check-forward-backward.js";
import { encodeForwardBackwardAsJson } from "./json-forward-backward.js";
import { writeNumberConfig, writeSpans, writeTaggedConfig } from "./write-rare-fields.js";

/** Options of writing a training request. */
export interface ForwardBackwardEncoding {
  readonly wire: "protobuf" | "json";
  /** The server's generation, which says the fields it knows; matters to JSON only. */
  readonly generation: ApiGeneration;
  /** zstd, when the server asks for compressed requests and the host can. Protobuf bodies only. */
  readonly compress?: ((bytes: Uint8Array) => Uint8Array<ArrayBuffer>) | undefined;
  /** Pool for large protobuf bodies; give them back when they were delivered. New memory by default. */
  readonly memory?: BodyMemory | undefined;
  /**
   * The caller has checked the record with its chunks, tensors and spans, and cast the tensors to typed arrays (`TensorData.from`
   * of `@tinkex/tensor` does both): nothing is checked twice. Protobuf still refuses a token that is no integer of 32 bits, which
   * it would write as another. @defaultValue false
   */
  readonly isChecked?: boolean | undefined;
}

/**
 * Encodes a training request. In JSON a pass without gradient (`forward_only`) has another shape, for an endpoint of its own:
 * `forward` in place of `forward_backward`.
 *
 * @throws ValidationError that names datum, key and index of a bad value; UnsupportedByServerError for spans in JSON
 */
export function encodeForwardBackwardRequest(
  request: ForwardBackwardRequest,
  encoding: ForwardBackwardEncoding,
): EncodedBody {
  if (typeof request !== "object" || request === null)
    checkObject(request, "request", "{ model_id, seq_id, … }");
  if (typeof encoding !== "object" || encoding === null)
    checkObject(encoding, "encoding", "{ wire, generation }");
  const { wire, generation, compress, memory, isChecked = false } = encoding;
  // The messages themselves may be without data; a request to train on nothing is a mistake.
  if (request.forward_backward_input?.data?.length === 0) throw invalid("no data provided", ["data"]);
  if (wire === "json") return encodeForwardBackwardAsJson(request, generation, isChecked);
  const body = writeForwardBackward(request, memory, isChecked);
  if (compress === undefined) return { body, contentType: PROTOBUF_TYPE };
  const packed = compress(body);
  memory?.giveBack(body);
  return { body: packed, contentType: PROTOBUF_TYPE, contentEncoding: "zstd" };
}

/**
 * Writes a training request as protobuf, in one walk and one allocation: typed arrays are copied as blocks, plain arrays number
 * by number and checked on the way. Written from its end, see {@link ProtoWriter}, into spare memory where there is some.
 *
 * @throws ValidationError that names datum, key and index
 */
export function writeForwardBackward(
  request: ForwardBackwardRequest,
  memory?: BodyMemory,
  isChecked = false,
): Uint8Array<ArrayBuffer> {
  if (!isChecked) checkForwardBackward(request);
  const capacity = roomFor(request);
  const { data, loss_fn: lossFn, loss_fn_config: config } = request.forward_backward_input;
  const writer = new ProtoWriter(memory?.take(capacity) ?? new Uint8Array(capacity));
  if (config !== undefined) writeTaggedConfig(writer, config);
  writer.varintField(6, request.forward_only === true ? 1 : 0);
  if (config !== undefined) writeNumberConfig(writer, config);
  writer.stringField(4, lossFn);
  const entries = new TensorEntries(writer);
  for (let index = data.length - 1; index >= 0; index -= 1) {
    const datum = data[index];
    if (datum !== undefined) writeDatum(writer, entries, datum, index);
  }
  writer.varintField(2, request.seq_id);
  writer.stringField(1, request.model_id);
  return writer.finish();
}

/** Measures the room that a checked request needs as protobuf, in bytes. Looks at lengths alone. */
function roomFor(request: ForwardBackwardRequest): number {
  const { data, loss_fn_config: config = {} } = request.forward_backward_input;
  let room = 256 + request.model_id.length + 64 * Object.keys(config).length;
  for (const { model_input: input, loss_fn_inputs: tensors } of data) {
    room += 16;
    for (const chunk of input.chunks) {
      if ("tokens" in chunk) room += 32 + 4 * chunk.tokens.length;
      else if ("dmel" in chunk) room += 32 + chunk.dmel.length;
      else room += 32 + ("data" in chunk ? chunk.data.length : 0);
    }
    for (const key in tensors) {
      const tensor = tensors[key];
      if (tensor !== undefined) room += tensorCapacity(key, tensor);
    }
  }
  return room;
}

function writeDatum(writer: ProtoWriter, entries: TensorEntries, datum: Datum, index: number): void {
  const mark = writer.length;
  const { loss_fn_inputs: tensors, model_input_spans: inputSpans, loss_fn_input_spans: lossSpans } = datum;
  if (lossSpans !== undefined) writeSpans(writer, 4, lossSpans);
  if (inputSpans !== undefined) writeSpans(writer, 3, inputSpans);
  const keys = Object.keys(tensors);
  for (let position = keys.length - 1; position >= 0; position -= 1) {
    const key = keys[position] ?? "";
    const tensor = tensors[key];
    if (tensor === undefined) continue;
    const fault = entries.write(2, position, key, tensor);
    if (fault !== undefined) throw elementError(index, key, fault);
  }
  const { chunks } = datum.model_input;
  for (let position = chunks.length - 1; position >= 0; position -= 1) {
    const chunk = chunks[position];
    if (chunk !== undefined) writeChunk(writer, chunk, index, position);
  }
  writer.message(3, mark);
}

function writeChunk(writer: ProtoWriter, chunk: ModelInputChunk, datum: number, position: number): void {
  const outer = writer.length;
  if ("tokens" in chunk) {
    const { tokens } = chunk;
    let bad = -1;
    if (tokens instanceof Int32Array) writer.elements(tokens);
    else bad = writer.int32(tokens);
    if (bad !== -1) {
      throw invalid(
        `data[${datum}].model_input.chunks[${position}].tokens[${bad}] must be an integer of 32 bits, got ${describeValue(tokens[bad])}`,
        ["data", datum, "model_input", "chunks", position, "tokens", bad],
      );
    }
    if (tokens.length > 0) writer.message(1, outer);
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

function writeBytes(writer: ProtoWriter, field: number, bytes: Uint8Array): void {
  if (bytes.length > 0) writer.bytesField(field, bytes);
}
