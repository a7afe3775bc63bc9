import { ResponseError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { DecodeError } from "../decode-error.js";
import { decodeForwardBackwardRequest } from "../training/decode-forward-backward.js";
import { decodeJsonRequest, decodeJsonResponse } from "./decode-json.js";

const encoder = new TextEncoder();
const bytes = (text: string) => encoder.encode(text);

describe("JSON requests, as a server reads them", () => {
  it("reads a request of the 0.4 generation and fills in defaults", () => {
    const body = '{"adam_params":{"learning_rate":0.001},"model_id":"m","seq_id":2}';
    expect(decodeJsonRequest("OptimStepRequest", bytes(body))).toEqual({
      adam_params: {
        learning_rate: 0.001,
        beta1: 0.9,
        beta2: 0.95,
        eps: 1e-12,
        weight_decay: 0,
        grad_clip_norm: 0,
      },
      model_id: "m",
      seq_id: 2,
      type: "optim_step",
    });
  });

  it("reads null as absent and drops unknown fields", () => {
    const body = '{"session_id":"S","sampling_session_seq_id":0,"base_model":"B","model_path":null,"new":1}';
    expect(decodeJsonRequest("CreateSamplingSessionRequest", bytes(body))).toEqual({
      session_id: "S",
      sampling_session_seq_id: 0,
      base_model: "B",
      type: "create_sampling_session",
    });
  });

  it("keeps a seq_id and a seed beyond 2^53 exact", () => {
    const body =
      '{"prompt":{"chunks":[{"tokens":[1]}]},"sampling_params":{"seed":18446744073709551615},"sampling_session_id":"s","seq_id":9007199254740993}';
    const request = decodeJsonRequest("SampleRequest", bytes(body));
    expect(request.seq_id).toBe(9007199254740993n);
    expect(request.sampling_params.seed).toBe(18446744073709551615n);
  });

  it("keeps the digits of long int64 elements", () => {
    const tensor = '{"data":[1,9007199254740993],"dtype":"int64"}';
    const body = `{"forward_input":{"data":[{"loss_fn_inputs":{"target_tokens":${tensor}},"model_input":{"chunks":[{"tokens":[1,2]}]}}],"loss_fn":"cross_entropy"},"model_id":"m","seq_id":1}`;
    const request = decodeForwardBackwardRequest("application/json", bytes(body));
    expect(request.forward_only).toBe(true);
    const [datum] = request.forward_backward_input.data;
    expect(datum?.loss_fn_inputs.target_tokens?.data).toEqual(new BigInt64Array([1n, 9007199254740993n]));
  });

  it("names a missing field", () => {
    expect(() => decodeJsonRequest("GetInfoRequest", bytes("{}"))).toThrow(/GetInfoRequest: model_id/);
    expect(() => decodeJsonRequest("GetInfoRequest", bytes("[]"))).toThrow(ResponseError);
  });
});

describe("JSON answers, as a client reads them", () => {
  it("newest-wire 15: sample ids, and their absence", () => {
    const withIds = decodeJsonResponse(
      "UntypedAPIFuture",
      bytes('{"request_id":"r","sample_sequence_ids":["a","b"]}'),
    );
    expect(withIds.sample_sequence_ids).toEqual(["a", "b"]);
    const without = decodeJsonResponse(
      "UntypedAPIFuture",
      bytes('{"request_id":"r","sample_sequence_ids":null}'),
    );
    expect(without).toEqual({ request_id: "r" });
  });

  it("newest-wire 26: completions of unknown state, without size, and a long cursor", () => {
    const body =
      '{"completions":[{"state":"finished","request_id":"a","response_payload_uncompressed_size":10},{"state":"new","request_id":"b"},{"request_id":"c"}],"cursor":9007199254740993}';
    const { completions, cursor } = decodeJsonResponse("FuturesRetrieveResponse", bytes(body));
    expect(completions.map(({ state }) => state)).toEqual(["finished", "new", "finished"]);
    expect(cursor).toBe(9007199254740993n);
  });

  it("is not confused by a body that is not JSON", () => {
    const cut = () => decodeJsonResponse("CreateModelResponse", bytes('{"model_id":'));
    expect(cut).toThrow(DecodeError);
    expect(cut).toThrow("CreateModelResponse at byte 12: not JSON: it ends too early");
    const binary = () => decodeJsonResponse("CreateModelResponse", Uint8Array.of(0xff, 0xfe));
    expect(binary).toThrow("not UTF-8 text");
  });
});
