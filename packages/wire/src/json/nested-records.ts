import {
  AdamParams,
  type CustomLossGraph,
  type CustomLossNode,
  chunkType,
  type Datum,
  type DimuonOptimizerConfig,
  type DimuonParams,
  type DmelChunk,
  type EncodedTextChunk,
  type ForwardBackwardInput,
  fromBase64,
  type GenericEvent,
  type ImageAssetPointerChunk,
  type ImageChunk,
  LoraConfig,
  type ModelInput,
  type ModelInputChunk,
  SamplingParams,
  type TensorData,
  toBase64,
} from "@tinkex/types";
import { graphLiterals, graphLiteralsByName } from "./graph-literals.js";
import { type Holds, type SentField, type SentRecord, sentRecord } from "./sent-record.js";

/** Makes the field `type`, which 0.4 clients leave out everywhere. */
function typeField(name: string) {
  return { since: "0.25", default: name } as const;
}

const encodedTextChunk = sentRecord<EncodedTextChunk>({
  tokens: { since: "0.4" },
  type: typeField("encoded_text"),
});

/** Rewrites base64, which may have line breaks or lack its padding: what is sent has neither fault. */
function standardBase64(bytes: unknown): unknown {
  return typeof bytes === "string" ? toBase64(fromBase64(bytes)) : bytes;
}

/** 0.4 calls `expected_tokens` by the name `tokens`, and wants the size in pixels. */
const imageTokens: Pick<SentRecord, "derived"> = {
  derived: (image, generation) => {
    const tokens = "expected_tokens" in image ? image.expected_tokens : undefined;
    return generation === "0.4" && tokens !== undefined ? { tokens } : {};
  },
};

const imageSize = {
  height: { since: "0.4", in04: "only" },
  width: { since: "0.4", in04: "only" },
  expected_tokens: { since: "0.25", in04: "never" },
} as const satisfies Record<string, SentField>;

const imageChunk = sentRecord<ImageChunk>(
  {
    data: { since: "0.4", encode: standardBase64 },
    format: { since: "0.4" },
    ...imageSize,
    type: typeField("image"),
  },
  imageTokens,
);

const imageAssetPointerChunk = sentRecord<ImageAssetPointerChunk>(
  {
    format: { since: "0.4" },
    location: { since: "0.4" },
    ...imageSize,
    type: typeField("image_asset_pointer"),
  },
  imageTokens,
);

const dmelChunk = sentRecord<DmelChunk>({
  dmel: { since: "0.25", encode: standardBase64 },
  type: typeField("dmel"),
});

const chunkRecords = {
  encoded_text: encodedTextChunk,
  image: imageChunk,
  image_asset_pointer: imageAssetPointerChunk,
  dmel: dmelChunk,
} as const;

function chunkRecord(chunk: object): SentRecord {
  // Nearly all chunks are text and say so. An unknown type falls to text too, whose schema then names what is missing.
  if ("type" in chunk && chunk.type === "encoded_text") return encodedTextChunk;
  const kind = chunkType(chunk as ModelInputChunk);
  return Object.hasOwn(chunkRecords, kind) ? chunkRecords[kind] : encodedTextChunk;
}

const modelInput = sentRecord<ModelInput>({
  chunks: { since: "0.4", holds: { as: "list", record: chunkRecord } },
});

const tensorData = sentRecord<TensorData>({
  data: { since: "0.4" },
  dtype: { since: "0.4" },
  shape: { since: "0.4" },
  sparse_crow_indices: { since: "0.25" },
  sparse_col_indices: { since: "0.25" },
});

const spansRemedy = "provenance spans travel over protobuf only";

const datum = sentRecord<Omit<Datum, "model_input_spans" | "loss_fn_input_spans">>(
  {
    loss_fn_inputs: { since: "0.4", holds: { as: "map", record: tensorData } },
    model_input: { since: "0.4", holds: { as: "record", record: modelInput } },
  },
  { withoutJsonForm: { model_input_spans: spansRemedy, loss_fn_input_spans: spansRemedy } },
);

const forwardBackwardInput = sentRecord<ForwardBackwardInput>({
  data: { since: "0.4", holds: { as: "list", record: datum } },
  loss_fn: { since: "0.4" },
  loss_fn_config: { since: "0.4" },
});

const samplingParams = sentRecord<SamplingParams>({
  max_tokens: { since: "0.4" },
  seed: { since: "0.4" },
  stop: { since: "0.4" },
  temperature: { since: "0.4", default: SamplingParams.defaults.temperature },
  top_k: { since: "0.4", default: SamplingParams.defaults.top_k },
  top_p: { since: "0.4", default: SamplingParams.defaults.top_p },
});

const adamParams = sentRecord<AdamParams>({
  learning_rate: { since: "0.4", default: AdamParams.defaults.learning_rate },
  beta1: { since: "0.4", default: AdamParams.defaults.beta1 },
  beta2: { since: "0.4", default: AdamParams.defaults.beta2 },
  eps: { since: "0.4", default: AdamParams.defaults.eps },
  weight_decay: { since: "0.25", default: AdamParams.defaults.weight_decay },
  grad_clip_norm: { since: "0.25", default: AdamParams.defaults.grad_clip_norm },
});

/** Gives a family's own fields, its defaults spelled out; a family we do not know goes as it is. */
function familyRecord(known: SentRecord): (value: object) => SentRecord {
  return (value) => {
    if ("type" in value && value.type === "dimuon") return known;
    return { fields: Object.fromEntries(Object.keys(value).map((name) => [name, { since: "0.4" }])) };
  };
}

const dimuonConfig = sentRecord<DimuonOptimizerConfig>({
  type: { since: "0.4" },
  version: { since: "0.4", default: 1 },
});

const dimuonParams = sentRecord<DimuonParams>({
  type: { since: "0.4" },
  learning_rate: { since: "0.4" },
  grad_clip_norm: { since: "0.4", default: 0 },
  beta1: { since: "0.4", default: 0.9 },
});

const loraConfig = sentRecord<LoraConfig>({
  rank: { since: "0.4" },
  seed: { since: "0.4" },
  train_unembed: { since: "0.4", default: LoraConfig.defaults.train_unembed },
  train_mlp: { since: "0.4", default: LoraConfig.defaults.train_mlp },
  train_attn: { since: "0.4", default: LoraConfig.defaults.train_attn },
});

const customLossNode = sentRecord<CustomLossNode>({
  op: { since: "0.4" },
  name: { since: "0.4" },
  target: { since: "0.4" },
  args: { since: "0.4", default: [], encode: graphLiterals },
  kwargs: { since: "0.4", default: {}, encode: graphLiteralsByName },
});

const customLossGraph = sentRecord<CustomLossGraph>({
  format: { since: "0.4", default: 1 },
  nodes: { since: "0.4", holds: { as: "list", record: customLossNode } },
});

const telemetryFields = {
  event: { since: "0.4" },
  event_id: { since: "0.4" },
  event_session_index: { since: "0.4" },
  severity: { since: "0.4" },
  timestamp: { since: "0.4" },
} as const;

/** One table for three kinds of event: each uses the fields it has. */
const telemetryEvent: SentRecord = {
  fields: {
    duration: { since: "0.4" },
    error_message: { since: "0.4" },
    error_type: { since: "0.4" },
    ...telemetryFields,
    traceback: { since: "0.4" },
  },
};

const genericEvent = sentRecord<GenericEvent>({
  event: telemetryFields.event,
  event_id: telemetryFields.event_id,
  // In the place where the official SDK writes it.
  event_name: { since: "0.4" },
  event_session_index: telemetryFields.event_session_index,
  severity: telemetryFields.severity,
  timestamp: telemetryFields.timestamp,
  event_data: { since: "0.4", default: {} },
});

function eventRecord(event: object): SentRecord {
  return "event_name" in event ? genericEvent : telemetryEvent;
}

function held(record: SentRecord): Holds {
  return { as: "record", record };
}

/** The nested records of a field, by their name. */
export const holdsModelInput = held(modelInput);
export const holdsTensorData = held(tensorData);
export const holdsForwardBackwardInput = held(forwardBackwardInput);
export const holdsSamplingParams = held(samplingParams);
export const holdsAdamParams = held(adamParams);
export const holdsLoraConfig = held(loraConfig);
export const holdsCustomLossGraph = held(customLossGraph);
export const holdsTelemetryEvents: Holds = { as: "list", record: eventRecord };
export const holdsOptimizerConfig: Holds = { as: "record", record: familyRecord(dimuonConfig) };
export const holdsOptimizerParams: Holds = { as: "record", record: familyRecord(dimuonParams) };
