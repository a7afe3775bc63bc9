import { defineOwn } from "@tinkex/base";
import type {
  Datum,
  ForwardBackwardRequest,
  LossFnType,
  ModelInputChunk,
  NamedTensors,
  ProvenanceSpan,
  TensorData,
} from "@tinkex/types";
import { ProtoReader } from "../proto-bytes/proto-reader.js";
import { int32Of } from "../proto-bytes/read-elements.js";
import { readOneof } from "../proto-bytes/read-oneof.js";
import { readTensor } from "../proto-tensor/read-tensor.js";

/** The most datums of a request; those without content take two bytes each. Clients send 1024 at most. */
const MAX_DATUMS = 65_536;

/** The most settings of a loss, which has a few; those without content take two bytes each. */
const MAX_SETTINGS = 65_536;

/** About what these take once they are read, in bytes, beside views of the body. */
const DATUM_BYTES = 400;
const CHUNK_BYTES = 100;
const TENSOR_BYTES = 200;
const SPAN_BYTES = 100;
const SETTING_BYTES = 100;

/** The tokens of an empty chunk; shared, so that many of them cost little. */
const NO_TOKENS = new Int32Array(0);

/**
 * Reads the form of a training request: whether its values can be (an empty list of datums, an unknown loss) is not looked
 * at, for a server that gives a request its place in the order before it refuses it. `decodeForwardBackwardRequest` looks.
 * Tokens and tensors are views on `body` where they are aligned.
 *
 * @throws DecodeError
 */
export function readForwardBackward(body: Uint8Array): ForwardBackwardRequest {
  const reader = ProtoReader.of(body, "ForwardBackwardRequest");
  let modelId = "";
  let seqId = 0;
  let lossFn = "";
  let isForwardOnly = false;
  let settingCount = 0;
  const data: Datum[] = [];
  const numbers: Record<string, number | string> = {};
  const tagged: Record<string, number | string> = {};
  while (reader.next()) {
    if (reader.field === 1) modelId = reader.text("model_id");
    else if (reader.field === 2) seqId = reader.int32("seq_id");
    else if (reader.field === 3) {
      if (data.length === MAX_DATUMS) throw reader.fault("data", `more than ${MAX_DATUMS} datums`);
      data.push(readDatum(reader.message(`data[${data.length}]`)));
    } else if (reader.field === 4) lossFn = reader.text("loss_fn");
    else if (reader.field === 5 || reader.field === 7) {
      if (settingCount === MAX_SETTINGS)
        throw reader.fault("loss_fn_config", `more than ${MAX_SETTINGS} settings`);
      settingCount += 1;
      if (reader.field === 5) readNumberEntry(reader.entry("loss_fn_config"), numbers);
      else readValueEntry(reader.entry("loss_fn_config_v2"), tagged);
    } else if (reader.field === 6) isForwardOnly = reader.boolean("forward_only");
    else reader.skip();
  }
  // The newer map holds all that the older one does.
  const config = Object.keys(tagged).length > 0 ? tagged : numbers;
  return {
    forward_backward_input: {
      data,
      // The server says whether it has a loss of this name.
      loss_fn: lossFn as LossFnType,
      ...(Object.keys(config).length > 0 ? { loss_fn_config: config } : {}),
    },
    model_id: modelId,
    seq_id: seqId,
    forward_only: isForwardOnly,
  };
}

function readDatum(reader: ProtoReader): Datum {
  reader.spend(DATUM_BYTES, "");
  const chunks: ModelInputChunk[] = [];
  const tensors: Record<string, TensorData> = {};
  const inputSpans: ProvenanceSpan[] = [];
  const lossSpans: ProvenanceSpan[] = [];
  while (reader.next()) {
    if (reader.field === 1) chunks.push(readChunk(reader.message(`model_input[${chunks.length}]`)));
    else if (reader.field === 2) readTensorEntry(reader.entry("loss_fn_inputs"), tensors);
    else if (reader.field === 3) inputSpans.push(readSpan(reader.message("model_input_spans")));
    else if (reader.field === 4) lossSpans.push(readSpan(reader.message("loss_fn_input_spans")));
    else reader.skip();
  }
  const spans =
    inputSpans.length + lossSpans.length > 0
      ? { model_input_spans: inputSpans, loss_fn_input_spans: lossSpans }
      : {};
  return { model_input: { chunks }, loss_fn_inputs: tensors satisfies NamedTensors, ...spans };
}

function readChunk(reader: ProtoReader): ModelInputChunk {
  reader.spend(CHUNK_BYTES, "");
  const chunk = readOneof<ModelInputChunk>(reader, CHUNK_KINDS);
  if (chunk === undefined) throw reader.fault("", "a chunk without content");
  return chunk;
}

const CHUNK_KINDS = {
  1: { name: "encoded_text", read: readText },
  2: { name: "image", read: readImage },
  3: { name: "dmel", read: readAudio },
} as const;

function readText(reader: ProtoReader): ModelInputChunk {
  let tokens = NO_TOKENS;
  while (reader.next()) {
    if (reader.field === 1) tokens = int32Of(reader.elements("tokens", 4));
    else reader.skip();
  }
  return { tokens, type: "encoded_text" };
}

function readImage(reader: ProtoReader): ModelInputChunk {
  let data: Uint8Array = new Uint8Array(0);
  let format = "";
  let expectedTokens: number | undefined;
  while (reader.next()) {
    if (reader.field === 1) data = reader.bytes("data");
    else if (reader.field === 2) format = reader.text("format");
    else if (reader.field === 3) expectedTokens = reader.int32("expected_tokens");
    else if (reader.field === 4) checkDimensions(reader.message("override_dimensions"));
    else reader.skip();
  }
  if (format !== "png" && format !== "jpeg")
    throw reader.fault("format", `image format "${format}" is not known`);
  return {
    data,
    format,
    type: "image",
    ...(expectedTokens === undefined ? {} : { expected_tokens: expectedTokens }),
  };
}

/** Reads the size that an image is scaled to, which records do not have, so that a fault in it is one here too. */
function checkDimensions(reader: ProtoReader): void {
  while (reader.next()) {
    if (reader.field === 1) reader.uint32("width");
    else if (reader.field === 2) reader.uint32("height");
    else reader.skip();
  }
}

function readAudio(reader: ProtoReader): ModelInputChunk {
  let dmel: Uint8Array = new Uint8Array(0);
  while (reader.next()) {
    if (reader.field === 1) dmel = reader.bytes("dmel");
    else reader.skip();
  }
  return { dmel, type: "dmel" };
}

function readTensorEntry(reader: ProtoReader, tensors: Record<string, TensorData>): void {
  reader.spend(TENSOR_BYTES, "");
  let key = "";
  let tensor: ProtoReader | undefined;
  while (reader.next()) {
    if (reader.field === 1) key = reader.text("key");
    else if (reader.field === 2) tensor = reader.message(key, tensor);
    else reader.skip();
  }
  if (tensor === undefined) throw reader.fault(key, "an entry without a tensor");
  defineOwn(tensors, key, readTensor(tensor, { isShapeStated: false }));
}

function readSpan(reader: ProtoReader): ProvenanceSpan {
  reader.spend(SPAN_BYTES, "");
  const span = readOneof<ProvenanceSpan>(reader, SPAN_KINDS);
  if (span === undefined) throw reader.fault("", "a span without content");
  return span;
}

const SPAN_KINDS = {
  1: {
    name: "prompt_tokens",
    read: (reader: ProtoReader) => ({ type: "prompt_tokens", ...readSpanContent(reader) }) as const,
  },
  2: {
    name: "sampled_tokens",
    read: (reader: ProtoReader) => ({ type: "sampled_tokens", ...readSpanContent(reader) }) as const,
  },
} as const;

function readSpanContent(reader: ProtoReader): { sequence_id: string; offset: number; length: number } {
  const span = { sequence_id: "", offset: 0, length: 0 };
  while (reader.next()) {
    if (reader.field === 1) span.sequence_id = reader.text("sequence_id");
    else if (reader.field === 2) span.offset = reader.integer("offset");
    else if (reader.field === 3) span.length = reader.integer("length");
    else reader.skip();
  }
  return span;
}

function readNumberEntry(reader: ProtoReader, config: Record<string, number | string>): void {
  reader.spend(SETTING_BYTES, "");
  let key = "";
  let value = 0;
  while (reader.next()) {
    if (reader.field === 1) key = reader.text("key");
    else if (reader.field === 2) value = reader.double("value");
    else reader.skip();
  }
  defineOwn(config, key, value);
}

function readValueEntry(reader: ProtoReader, config: Record<string, number | string>): void {
  reader.spend(SETTING_BYTES, "");
  let key = "";
  let content: ProtoReader | undefined;
  while (reader.next()) {
    if (reader.field === 1) key = reader.text("key");
    else if (reader.field === 2) content = reader.message("value", content);
    else reader.skip();
  }
  if (content === undefined) throw reader.fault("value", "is missing");
  defineOwn(config, key, readConfigValue(content));
}

function readConfigValue(reader: ProtoReader): number | string {
  let value: number | string | undefined;
  while (reader.next()) {
    if (reader.field === 1) value = reader.double("number");
    else if (reader.field === 2) value = reader.text("text");
    else reader.skip();
  }
  if (value === undefined) throw reader.fault("", "a config value without number or text");
  return value;
}
