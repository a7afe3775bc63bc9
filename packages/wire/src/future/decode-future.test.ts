import type { SampleResponse } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { DecodeError } from "../decode-error.js";
import { PROTOBUF_TYPE } from "../encoded-body.js";
import { acceptFor, decodeFutureResult, type FutureResultName } from "./decode-future.js";
import { encodeFutureOutcome } from "./encode-future.js";

const encoder = new TextEncoder();

function answer(text: string, status = 200) {
  return { status, headers: { "content-type": "application/json" }, body: encoder.encode(text) };
}

function decode(name: FutureResultName, text: string, status?: number) {
  return decodeFutureResult(name, answer(text, status));
}

describe("the answer to a poll", () => {
  it("wire-types 35: not yet", () => {
    expect(
      decode("OptimStepResponse", '{"type":"try_again","request_id":"r","queue_state":"paused_capacity"}'),
    ).toEqual({
      state: "pending",
      queue_state: "paused_capacity",
    });
    expect(decode("OptimStepResponse", '{"queue_state":"new","queue_state_reason":"why"}', 408)).toEqual({
      state: "pending",
      queue_state: "new",
      queue_state_reason: "why",
    });
    expect(decode("OptimStepResponse", "<html>", 408)).toEqual({ state: "pending" });
  });

  it("wire-types 35: large results are announced", () => {
    expect(decode("SampleResponse", '{"status":"complete_metadata","response_payload_size":10}')).toEqual({
      state: "metadata_only",
      response_payload_size: 10,
    });
    expect(decode("SampleResponse", '{"status":"complete_metadata","response_payload_size":null}')).toEqual({
      state: "metadata_only",
      response_payload_size: 0,
    });
  });

  it.each([
    ["1e999", Number.MAX_SAFE_INTEGER],
    ["-1e999", 0],
    ["Infinity", Number.MAX_SAFE_INTEGER],
    ["NaN", 0],
    ["-1", 0],
    ["0.5", 1],
    ["9007199254740993", Number.MAX_SAFE_INTEGER],
    ["99999999999999999999999999", Number.MAX_SAFE_INTEGER],
    ['"1000"', 0],
    ["[1]", 0],
    ["true", 0],
  ])("an announced size of %s is %i bytes", (announced, bytes) => {
    const text = `{"status":"complete_metadata","response_payload_size":${announced}}`;
    expect(decode("SampleResponse", text)).toEqual({ state: "metadata_only", response_payload_size: bytes });
  });

  it.each([
    ["lists", `${"[".repeat(200_000)}${"]".repeat(200_000)}`],
    ["objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["lists with a long integer", `${"[".repeat(200_000)}9007199254740993${"]".repeat(200_000)}`],
    ["lists with NaN", `${"[".repeat(200_000)}NaN${"]".repeat(200_000)}`],
    ["lists that do not end", "[".repeat(200_000)],
  ])("deeply nested %s are a DecodeError that names the record, wherever they stand", (_, deep) => {
    for (const text of [deep, `{"metrics":${deep}}`, `{"error":${deep}}`, `{"status":${deep}}`]) {
      expect(() => decode("OptimStepResponse", text)).toThrow(DecodeError);
      expect(() => decode("OptimStepResponse", text)).toThrow(
        /^OptimStepResponse: not JSON: more than 64 levels$/,
      );
      expect(decode("OptimStepResponse", text, 408)).toEqual({ state: "pending" });
    }
  });

  it.each(["{},", "[],", '{"logprobs":{}},'])("many times %s are refused before they are parsed", (unit) => {
    const text = `{"loss_fn_outputs":[${unit.repeat((12 * 2 ** 20) / unit.length)}{}]}`;
    expect(() => decode("ForwardBackwardOutput", text)).toThrow(
      /^ForwardBackwardOutput: not JSON: \d+ characters that would take more than \d+ bytes of memory$/,
    );
  });

  it.each([
    ['{"error":"x","category":"user"}', { state: "failed", error: "x", category: "user" }],
    ['{"error":"x"}', { state: "failed", error: "x", category: "unknown" }],
    [
      '{"error":"x","category":"zzz"}',
      { state: "failed", error: "x", category: "unknown", raw_category: "zzz" },
    ],
    // Python's StrEnum of these words writes them small; other servers write their names, as `RequestErrorCategory` of the SDK has them
    // (tinker 0.38.0, types/request_error_category.py). AngellusMortis/pyunifiprotect#136: the same word in another case, not known.
    ['{"error":"x","category":"User"}', { state: "failed", error: "x", category: "user" }],
    ['{"error":"x","category":"SERVER"}', { state: "failed", error: "x", category: "server" }],
    ['{"error":"x","category":"Unknown"}', { state: "failed", error: "x", category: "unknown" }],
    [
      '{"error":"x","category":"user_error"}',
      { state: "failed", error: "x", category: "unknown", raw_category: "user_error" },
    ],
    [
      '{"error":{"code":9007199254740993}}',
      { state: "failed", error: '{"code":"9007199254740993"}', category: "unknown" },
    ],
    ['{"error":null}', { state: "failed", error: "null", category: "unknown" }],
  ])("wire-types 35, transport 51: failure %s", (text, expected) => {
    expect(decode("OptimStepResponse", text)).toEqual(expected);
  });

  it("wire-types 35: an empty result of optim_step", () => {
    expect(decode("OptimStepResponse", "{}")).toEqual({ state: "complete", result: {} });
  });

  it("wire-types 36: prompt scores in JSON", () => {
    const text =
      '{"sequences":[],"prompt_logprobs":[null,-1,2],"topk_prompt_logprobs":[null,[[5,-0.1],[7,-1.5,"tail"]],[]]}';
    expect(decode("SampleResponse", text)).toMatchObject({
      result: {
        prompt_logprobs: [null, -1, 2],
        topk_prompt_logprobs: [
          null,
          [
            [5, Math.fround(-0.1)],
            [7, -1.5],
          ],
          [],
        ],
      },
    });
  });

  it.each(['{"loss:sum":null}', '{"loss:sum":"NaN"}', '{"loss:sum":NaN}'])(
    "wire-types 37: metrics %s",
    (metrics) => {
      const text = `{"loss_fn_output_type":"T","loss_fn_outputs":[],"metrics":${metrics}}`;
      expect(decode("ForwardBackwardOutput", text)).toMatchObject({
        result: { metrics: { "loss:sum": Number.NaN } },
      });
    },
  );

  it("wire-types 42: 300 000 logprobs", () => {
    const logprobs = new Array(300_000).fill(-0.5);
    const text = JSON.stringify({
      sequences: [{ stop_reason: "stop", tokens: new Array(300_000).fill(1), logprobs }],
    });
    expect(decode("SampleResponse", text)).toMatchObject({
      result: { sequences: [{ logprobs: { length: 300_000 } }] },
    });
  });

  it.each(["application/x-protobuf; charset=binary", "Application/X-Protobuf"])(
    "protobuf 28, transport 53: content type %s",
    (type) => {
      const outcome = decodeFutureResult("SampleResponse", {
        status: 200,
        headers: { "content-type": type },
        body: Uint8Array.of(0x0a, 0x00),
      });
      expect(outcome).toMatchObject({ state: "complete", result: { sequences: [{ stop_reason: "stop" }] } });
    },
  );

  it("protobuf 29: control answers are JSON though protobuf was asked for", () => {
    const accept = acceptFor("SampleResponse", "protobuf");
    const body = encodeFutureOutcome("SampleResponse", { state: "pending" }, { accept, requestId: "r" });
    expect(body.contentType).toBe("application/json");
    const headers = { "content-type": body.contentType };
    expect(decodeFutureResult("SampleResponse", { status: 200, headers, body: body.body })).toEqual({
      state: "pending",
      queue_state: "active",
    });
  });

  it("protobuf 25: JSON under a protobuf content type, or protobuf where there is none", () => {
    const headers = { "content-type": PROTOBUF_TYPE };
    const body = encoder.encode('{"sequences":[]}');
    expect(() => decodeFutureResult("SampleResponse", { status: 200, headers, body })).toThrow(DecodeError);
    expect(() => decodeFutureResult("OptimStepResponse", { status: 200, headers, body })).toThrow(
      "has no protobuf form",
    );
  });

  it("protobuf 31: only two results are asked for as protobuf", () => {
    expect(acceptFor("OptimStepResponse", "protobuf")).toBe("application/json");
    expect(acceptFor("ForwardBackwardOutput", "protobuf")).toBe("application/x-protobuf, application/json");
    expect(acceptFor("ForwardBackwardOutput", "json")).toBe("application/json");
  });

  it("protobuf 30, 32: the same result through JSON and through protobuf is deep-equal", () => {
    const sample: SampleResponse = {
      sequences: [
        {
          stop_reason: "length",
          tokens: [5, 6],
          logprobs: [-0.1, Math.fround(-0.2)].map(Math.fround),
          topk_logprobs: [[[5, -0.5]], null],
        },
      ],
      prompt_logprobs: [null, -0.25],
      topk_prompt_logprobs: [null, [[7, -0.25]]],
      prompt_cache_hit_tokens: 2,
      target_prompt_logprobs: { data: new Float32Array([-1, 0]), dtype: "float32", shape: [2, 1] },
    };
    const training = {
      loss_fn_output_type: "ArrayRecord",
      loss_fn_outputs: [
        {
          logprobs: {
            data: new Float32Array([-0.1, Number.NaN, Number.NEGATIVE_INFINITY]),
            dtype: "float32",
            shape: [3],
          } as const,
        },
        { logprobs: { data: new Float32Array([0.3]), dtype: "float32", shape: [1] } as const },
      ],
      metrics: { "loss:sum": 8.125, "bad:mean": Number.NaN },
    };
    const through = (name: "SampleResponse" | "ForwardBackwardOutput", result: object, accept: string) => {
      const outcome = { state: "complete", result: result as never } as const;
      const { body, contentType } = encodeFutureOutcome(name, outcome, { accept, requestId: "r" });
      expect(contentType).toBe(accept);
      return decodeFutureResult(name, { status: 200, headers: { "content-type": contentType }, body });
    };
    for (const [name, result] of [
      ["SampleResponse", sample],
      ["ForwardBackwardOutput", training],
    ] as const) {
      const json = through(name, result, "application/json");
      expect(through(name, result, PROTOBUF_TYPE)).toStrictEqual(json);
      expect(json).toEqual({ state: "complete", result });
    }
  });
});
