import { UnsupportedByServerError, ValidationError } from "@tinkex/base";
import { Datum, type ForwardBackwardRequest } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { PROTOBUF_TYPE } from "../encoded-body.js";
import { decodeForwardBackwardRequest } from "./decode-forward-backward.js";
import { encodeForwardBackwardRequest } from "./encode-forward-backward.js";

const data = [Datum.of([1, 2], { target_tokens: { data: [2, 3], dtype: "int64" } })];
const request: ForwardBackwardRequest = {
  model_id: "m",
  seq_id: 1,
  forward_backward_input: { data, loss_fn: "cross_entropy" },
};
const protobuf = { wire: "protobuf", generation: "0.25" } as const;

describe("encodeForwardBackwardRequest", () => {
  it("protobuf 10: plain without a compressor, compressed with one", () => {
    const plain = encodeForwardBackwardRequest(request, protobuf);
    expect(plain.contentType).toBe(PROTOBUF_TYPE);
    expect(plain).not.toHaveProperty("contentEncoding");
    // Compression is the caller's; what goes in is the plain body.
    const seen: Uint8Array[] = [];
    const compress = (bytes: Uint8Array) => {
      seen.push(bytes);
      return Uint8Array.from(bytes).reverse();
    };
    const compressed = encodeForwardBackwardRequest(request, { ...protobuf, compress });
    expect(compressed).toEqual({
      body: Uint8Array.from(plain.body).reverse(),
      contentType: PROTOBUF_TYPE,
      contentEncoding: "zstd",
    });
    expect(seen).toEqual([plain.body]);
  });

  it("protobuf 10: JSON is never compressed", () => {
    const compress = () => {
      throw new Error("must not be called");
    };
    const encoded = encodeForwardBackwardRequest(request, { wire: "json", generation: "0.4", compress });
    expect(encoded.contentType).toBe("application/json");
  });

  it("protobuf 11: forward differs in field 6 only", () => {
    const pass = encodeForwardBackwardRequest(request, protobuf).body;
    const forward = encodeForwardBackwardRequest({ ...request, forward_only: true }, protobuf).body;
    expect([...forward]).toEqual([...pass, 0x30, 0x01]);
  });

  it.each([protobuf, { wire: "json", generation: "0.4" } as const])(
    "refuses a request to train on nothing as $wire",
    (encoding) => {
      const empty = { ...request, forward_backward_input: { data: [], loss_fn: "cross_entropy" } } as const;
      const encode = () => encodeForwardBackwardRequest(empty, encoding);
      expect(encode).toThrow(ValidationError);
      expect(encode).toThrow("forward_backward: no data provided");
    },
  );

  it("gives a server the same request through protobuf and both JSON shapes", () => {
    for (const forwardOnly of [false, true]) {
      const sent = { ...request, forward_only: forwardOnly };
      const viaProtobuf = encodeForwardBackwardRequest(sent, protobuf);
      const viaJson = encodeForwardBackwardRequest(sent, { wire: "json", generation: "0.4" });
      const [first, second] = [viaProtobuf, viaJson].map(({ contentType, body }) => {
        const read = decodeForwardBackwardRequest(contentType, body);
        const [datum] = read.forward_backward_input.data;
        const numbers = Array.from(datum?.loss_fn_inputs.target_tokens?.data ?? [], Number);
        return [read.model_id, read.seq_id, read.forward_only, read.forward_backward_input.loss_fn, numbers];
      });
      expect(first).toEqual(["m", 1, forwardOnly, "cross_entropy", [2, 3]]);
      expect(second).toEqual(first);
    }
  });

  it("newest-wire 5: spans travel in forward requests too, and have no JSON form", () => {
    const spans = {
      model_input_spans: [{ type: "prompt_tokens", sequence_id: "q", length: 2 }],
      loss_fn_input_spans: [{ type: "sampled_tokens", sequence_id: "q", length: 2 }],
    } as const;
    const datum = Datum.of([1, 2], data[0]?.loss_fn_inputs ?? {}, spans);
    const spanned = {
      ...request,
      forward_only: true,
      forward_backward_input: { data: [datum], loss_fn: "cross_entropy" as const },
    };
    const { contentType, body } = encodeForwardBackwardRequest(spanned, protobuf);
    const [read] = decodeForwardBackwardRequest(contentType, body).forward_backward_input.data;
    expect(read?.model_input_spans).toEqual([{ ...spans.model_input_spans[0], offset: 0 }]);
    expect(() => encodeForwardBackwardRequest(spanned, { wire: "json", generation: "0.4" })).toThrow(
      UnsupportedByServerError,
    );
  });

  describe.each([protobuf, { wire: "json", generation: "0.4" } as const])("as $wire", (encoding) => {
    /** The request with one tensor in place of its `target_tokens`, which must be what `TensorData` cannot say. */
    function withTensor(tensor: object): ForwardBackwardRequest {
      const datum = { model_input: data[0]?.model_input, loss_fn_inputs: { target_tokens: tensor } } as Datum;
      return { ...request, forward_backward_input: { data: [...data, datum], loss_fn: "cross_entropy" } };
    }

    it.each([
      ["shape", { data: [2, 3], dtype: "int64", shape: [3] }],
      ["dtype", { data: [2, 3], dtype: "int32" }],
      ["data", { data: new Float64Array(2), dtype: "float32" }],
    ])("names the place of a tensor whose %s is wrong, where nobody has checked it", (field, tensor) => {
      const encode = () => encodeForwardBackwardRequest(withTensor(tensor), encoding);
      expect(encode).toThrow(ValidationError);
      expect(encode).toThrow(`forward_backward: data[1].loss_fn_inputs.target_tokens.${field}: `);
    });

    it("does not check once more what the caller has checked", () => {
      const twiceNamed = withTensor({ data: [2, 3], dtype: "int64", shape: [2], misspelt: 1 });
      const right = withTensor({ data: [2, 3], dtype: "int64", shape: [2] });
      expect(() => encodeForwardBackwardRequest(twiceNamed, encoding)).toThrow('unknown field "misspelt"');
      expect(encodeForwardBackwardRequest(twiceNamed, { ...encoding, isChecked: true })).toEqual(
        encodeForwardBackwardRequest(right, encoding),
      );
    });
  });
});
