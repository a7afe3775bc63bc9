import * as wire from "@tinkex/wire";
import { call, type PublicCalls } from "../public-call.js";

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const step = () => ({
  model_id: "m",
  seq_id: 1,
  adam_params: {
    learning_rate: 1e-4,
    beta1: 0.9,
    beta2: 0.95,
    eps: 1e-12,
    weight_decay: 0,
    grad_clip_norm: 0,
  },
  type: "optim_step" as const,
});
const pass = () => ({
  model_id: "m",
  seq_id: 1,
  forward_backward_input: {
    data: [
      {
        model_input: { chunks: [{ type: "encoded_text" as const, tokens: [1, 2] }] },
        loss_fn_inputs: { target_tokens: { data: [1, 2], dtype: "int64" as const, shape: [2] } },
      },
    ],
    loss_fn: "cross_entropy" as const,
    loss_fn_config: { x: 1 },
  },
});
const output = () => ({
  loss_fn_output_type: "TensorData",
  loss_fn_outputs: [{ logprobs: { data: [0, -1], dtype: "float32" as const, shape: [2] } }],
  metrics: { "loss:sum": 1 },
});
const sample = () => ({
  sequences: [{ tokens: [1], logprobs: [0], stop_reason: "stop" }],
  type: "sample" as const,
  prompt_cache_hit_tokens: 0,
});
const encoding = () => ({ generation: "0.38" });

export const wireCalls: PublicCalls = {
  acceptFor: call(wire.acceptFor, () => ["SampleResponse", "protobuf"]),
  decodeForwardBackwardRequest: call(wire.decodeForwardBackwardRequest, () => [
    "application/json",
    bytes(pass()),
  ]),
  decodeFutureResult: call(wire.decodeFutureResult, () => [
    "SampleResponse",
    { status: 200, headers: { "content-type": "application/json" }, body: bytes(sample()) },
  ]),
  decodeJsonRequest: call(wire.decodeJsonRequest, () => ["OptimStepRequest", bytes(step())]),
  decodeJsonResponse: call(wire.decodeJsonResponse, () => ["SampleResponse", bytes(sample())]),
  decodeRequest: call(wire.decodeRequest, () => ["optim_step", bytes(step())]),
  decodeResponse: call(wire.decodeResponse, () => ["healthz", bytes({ status: "ok" })]),
  encodeForwardBackwardOutput: call(wire.encodeForwardBackwardOutput, () => [output()]),
  encodeForwardBackwardRequest: call(wire.encodeForwardBackwardRequest, () => [
    pass(),
    { wire: "protobuf", generation: "0.38" },
  ]),
  "encodeForwardBackwardRequest as JSON": call(wire.encodeForwardBackwardRequest, () => [
    pass(),
    { wire: "json", generation: "0.38" },
  ]),
  encodeFutureOutcome: call(wire.encodeFutureOutcome, () => [
    "SampleResponse",
    { state: "complete", result: sample() },
    { accept: "application/json", requestId: "r" },
  ]),
  encodeJsonRequest: call(wire.encodeJsonRequest, () => ["OptimStepRequest", step(), encoding()]),
  encodeJsonResponse: call(wire.encodeJsonResponse, () => ["SampleResponse", sample()]),
  encodeQuery: call(wire.encodeQuery, () => [{ limit: 5, ids: ["a"] }]),
  encodeRequest: call(wire.encodeRequest, () => ["optim_step", step(), encoding()]),
  encodeResponse: call(wire.encodeResponse, () => ["healthz", { status: "ok" }]),
  encodeSampleResponse: call(wire.encodeSampleResponse, () => [sample()]),
  hasProtobufForm: call(wire.hasProtobufForm, () => ["SampleResponse"]),
  namesProtobuf: call(wire.namesProtobuf, () => ["application/json"]),
  parseJson: call(wire.parseJson, () => [bytes({}), "x"]),
  readForwardBackward: call(wire.readForwardBackward, () => [
    wire.encodeForwardBackwardRequest(pass(), { wire: "protobuf", generation: "0.38" }).body as Uint8Array,
  ]),
  writeJson: call(wire.writeJson, () => [{ a: [1] }, "x"]),
};
