import { ValidationError } from "@tinkex/base";
import { Datum, type ForwardBackwardRequest } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { encodeForwardBackwardRequest } from "./encode-forward-backward.js";

const datum: Datum = {
  model_input: { chunks: [{ tokens: [1, 2] }] },
  loss_fn_inputs: {
    target_tokens: { data: [2, 3], dtype: "int64" },
    weights: { data: [1, 1], dtype: "float32" },
  },
};
const request: ForwardBackwardRequest = {
  model_id: "m",
  seq_id: 1,
  forward_backward_input: { data: [datum], loss_fn: "cross_entropy" },
};

/** Wrong records come from programs that no compiler has seen. */
const withInput = (fields: object) =>
  ({
    ...request,
    forward_backward_input: { ...request.forward_backward_input, ...fields },
  }) as ForwardBackwardRequest;
const withDatum = (fields: object) => withInput({ data: [datum, { ...datum, ...fields }] });
const withChunk = (chunk: unknown) => withDatum({ model_input: { chunks: [{ tokens: [1] }, chunk] } });
const withTensor = (fields: object) =>
  withDatum({ loss_fn_inputs: { target_tokens: { data: [2, 3], dtype: "int64", ...fields } } });

const cases: readonly (readonly [what: string, request: ForwardBackwardRequest, message: RegExp])[] = [
  [
    "a misspelt field of the request",
    { ...request, forward_onli: true } as ForwardBackwardRequest,
    /forward_onli.*"forward_only"/,
  ],
  [
    "a loss config that is null",
    withInput({ loss_fn_config: null }),
    /loss_fn_config must be numbers and strings by name, got null/,
  ],
  [
    "a loss config that is a list",
    withInput({ loss_fn_config: [1] }),
    /loss_fn_config must be .*, got an array/,
  ],
  ["a misspelt field of the input", withInput({ loss_fn_cfg: {} }), /loss_fn_cfg.*"loss_fn_config"/],
  [
    "a misspelt field of a datum",
    withDatum({ model_input_span: [] }),
    /data\[1\].*model_input_span".*"model_input_spans"/,
  ],
  [
    "a misspelt field of a tensor",
    withTensor({ shap: [2] }),
    /data\[1\]\.loss_fn_inputs\.target_tokens.*shap.*"shape"/,
  ],
  [
    "a misspelt field of a text chunk",
    withChunk({ tokens: [1], typ: "encoded_text" }),
    /data\[1\]\.model_input\.chunks\[1\].*typ.*"type"/,
  ],
  [
    "a chunk whose one field is misspelt",
    withChunk({ tokns: [1] }),
    /data\[1\]\.model_input\.chunks\[1\].*tokns.*"tokens"/,
  ],
  [
    "a chunk of an unknown type",
    withChunk({ type: "video", tokens: [1] }),
    /data\[1\]\.model_input\.chunks\[1\].*video/,
  ],
  ["no chunk", withChunk(null), /data\[1\]\.model_input\.chunks\[1\]/],
  [
    "a negative count of an image",
    withChunk({ data: "", format: "png", expected_tokens: -1 }),
    /chunks\[1\].*expected_tokens/,
  ],
  [
    "a count of an image that is no integer",
    withChunk({ data: "", format: "png", expected_tokens: 1.5 }),
    /chunks\[1\].*expected_tokens/,
  ],
  ["an unknown format of an image", withChunk({ data: "", format: "gif" }), /chunks\[1\].*format.*gif/],
  ["an image without a format", withChunk({ data: "" }), /chunks\[1\].*format/],
  [
    "an image that is not base64",
    withChunk({ data: "%%", format: "png" }),
    /data\[1\]\.model_input\.chunks\[1\].*base64/,
  ],
  ["audio that is not base64", withChunk({ dmel: "%%" }), /data\[1\]\.model_input\.chunks\[1\].*base64/],
  [
    "a model id that is no text",
    { ...request, model_id: 5 } as unknown as ForwardBackwardRequest,
    /model_id/,
  ],
  [
    "a number of the request that is a bigint",
    { ...request, seq_id: 1n } as unknown as ForwardBackwardRequest,
    /seq_id/,
  ],
  ["data that is no list", withInput({ data: { 0: datum } }), /data must be a list/],
  ["a hole in the data", withInput({ data: new Array(1) }), /data\[0\]/],
  [
    "a null among floats",
    withDatum({ loss_fn_inputs: { weights: { data: [1, null], dtype: "float32" } } }),
    /weights\.data\[1\].*null/,
  ],
  [
    "a text among floats",
    withDatum({ loss_fn_inputs: { weights: { data: ["1", 2], dtype: "float32" } } }),
    /weights\.data\[0\]/,
  ],
  ["a null among integers", withTensor({ data: [2, null] }), /target_tokens\.data\[1\].*null/],
];

describe.each(["protobuf", "json"] as const)("a training request as %s", (wire) => {
  it.each(cases)("is refused with %s", (_what, wrong, message) => {
    const encode = () => encodeForwardBackwardRequest(wrong, { wire, generation: "0.38" });
    expect(encode).toThrow(ValidationError);
    expect(encode).toThrow(message);
  });

  it("is written when nothing is wrong with it", () => {
    expect(encodeForwardBackwardRequest(request, { wire, generation: "0.38" }).body.length).toBeGreaterThan(
      0,
    );
  });
});

describe("memory that another thread has", () => {
  const gone = <Kind extends Float32Array | Int32Array | BigInt64Array | Uint8Array>(array: Kind): Kind => {
    structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
    return array;
  };
  const datums: readonly [string, Datum, string][] = [
    [
      "floats",
      Datum.of([1], { a: { data: gone(new Float32Array(2)), dtype: "float32" } }),
      "loss_fn_inputs.a",
    ],
    [
      "integers",
      Datum.of([1], { a: { data: gone(new BigInt64Array(2)), dtype: "int64" } }),
      "loss_fn_inputs.a",
    ],
    [
      "tokens",
      { model_input: { chunks: [{ tokens: gone(new Int32Array(2)) }] }, loss_fn_inputs: {} },
      "chunks[0]",
    ],
    [
      "an image",
      { model_input: { chunks: [{ data: gone(new Uint8Array(2)), format: "png" }] }, loss_fn_inputs: {} },
      "chunks[0]",
    ],
  ];

  it.each(datums)("is refused before anything is written: %s", (_, datum, place) => {
    const input = { data: [datum], loss_fn: "cross_entropy" } as const;
    for (const wire of ["protobuf", "json"] as const) {
      const encode = () =>
        encodeForwardBackwardRequest(
          { model_id: "m", seq_id: 1, forward_backward_input: input },
          { wire, generation: "0.25" },
        );
      expect(encode).toThrow(ValidationError);
      expect(encode).toThrow(place);
    }
  });
});
