import { fromBinary } from "@bufbuild/protobuf";
import { ValidationError } from "@tinkex/base";
import {
  Datum,
  type ForwardBackwardRequest,
  ModelInput,
  type ModelInputChunk,
  type ProvenanceSpan,
  type TensorData,
} from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { ForwardBackwardRequestSchema } from "../proto.js";
import { hex, toHex } from "../testing/hex.js";
import { writeForwardBackward } from "./encode-forward-backward.js";
import { readForwardBackward } from "./read-forward-backward.js";

type Input = ForwardBackwardRequest["forward_backward_input"];

function request(input: Partial<Input>, rest: Partial<ForwardBackwardRequest> = {}): ForwardBackwardRequest {
  return {
    forward_backward_input: { data: [], loss_fn: "cross_entropy", ...input },
    model_id: "m",
    seq_id: 1,
    ...rest,
  };
}

/** Bytes of the chunks of tokens 1, 2, 3. */
const chunksOf123 = "0a100a0e0a0c010000000200000003000000";
const HEAD = "0a016d 1001";
const CROSS_ENTROPY = "220d 63726f73735f656e74726f7079";

/** Bytes of a request with this one datum, without what surrounds the datum. */
function datumBytes(datum: Datum): string {
  const bytes = toHex(writeForwardBackward(request({ data: [datum] })));
  const head = toHex(hex(HEAD));
  const tail = toHex(hex(CROSS_ENTROPY));
  expect(bytes.startsWith(`${head}1a`) && bytes.endsWith(tail)).toBe(true);
  const datumLength = bytes.length / 2 - head.length / 2 - tail.length / 2;
  const lengthBytes = datumLength > 0x81 ? 2 : 1;
  return bytes.slice(head.length + 2 + 2 * lengthBytes, bytes.length - tail.length);
}

function tensorBytes(tensor: TensorData): string {
  const bytes = datumBytes({ model_input: ModelInput.empty(), loss_fn_inputs: { k: tensor } });
  // Entry tag and length, key "k", tag and length of the tensor: nine bytes, all lengths below 128.
  return bytes.slice(14);
}

function chunkBytes(chunk: ModelInputChunk): string {
  return datumBytes({ model_input: { chunks: [chunk] }, loss_fn_inputs: {} }).slice(4);
}

const csr: TensorData = {
  data: [1, 2],
  dtype: "float32",
  shape: [3, 4],
  sparse_crow_indices: [0, 1, 1, 2],
  sparse_col_indices: [1, 3],
};

describe("the protobuf form of a training request", () => {
  it.each<[string, TensorData, string]>([
    ["empty float32, no shape", { data: [], dtype: "float32" }, "0a00 1801"],
    ["empty float32, shape [0]", { data: [], dtype: "float32", shape: [0] }, "0a00 1801 220100"],
    ["int64 scalar", { data: [5], dtype: "int64", shape: [] }, "0a080500000000000000 1802"],
    ["int64 -1", { data: [-1], dtype: "int64", shape: [1] }, "0a08ffffffffffffffff 1802 220101"],
    [
      "int64 2^53 + 1",
      { data: new BigInt64Array([2n ** 53n + 1n]), dtype: "int64", shape: [1] },
      "0a080100000000002000 1802 220101",
    ],
    [
      "float32 matrix",
      { data: [1, 2, 3, 4], dtype: "float32", shape: [2, 2] },
      "0a100000803f000000400000404000008040 1801 22020202",
    ],
    [
      "float32 NaN, infinities and -0",
      { data: [Number.NaN, Infinity, -Infinity, -0], dtype: "float32", shape: [4] },
      "0a100000c07f0000807f000080ff00000080 1801 220104",
    ],
    [
      "CSR",
      csr,
      `123e 0a080000803f00000040
       1220 0000000000000000 0100000000000000 0100000000000000 0200000000000000
       1a10 0100000000000000 0300000000000000 1801 22020304`,
    ],
    [
      "CSR of zeros",
      { data: [], dtype: "float32", shape: [2, 300], sparse_crow_indices: [0, 0, 0], sparse_col_indices: [] },
      "121a 1218 000000000000000000000000000000000000000000000000 1801 220302ac02",
    ],
  ])("protobuf 1: tensor %s", (_, tensor, expected) => {
    expect(tensorBytes(tensor)).toBe(toHex(hex(expected)));
  });

  it.each<[string, ModelInputChunk, string]>([
    ["text []", { tokens: [] }, "0a00"],
    ["text [-1]", { tokens: [-1] }, "0a06 0a04ffffffff"],
    ["jpeg", { data: hex("ffd8ff"), format: "jpeg" }, "120b 0a03ffd8ff 12046a706567"],
    [
      "png, 5 tokens expected",
      { data: hex("01"), format: "png", expected_tokens: 5 },
      "120a 0a0101 1203706e67 1805",
    ],
    ["empty png, 0 expected", { data: hex(""), format: "png", expected_tokens: 0 }, "1207 1203706e67 1800"],
    ["audio", { dmel: hex("04020350") }, "1a06 0a0404020350"],
    ["base64 jpeg", { data: "/9j/", format: "jpeg" }, "120b 0a03ffd8ff 12046a706567"],
  ])("protobuf 1: chunk %s", (_, chunk, expected) => {
    expect(chunkBytes(chunk)).toBe(toHex(hex(expected)));
  });

  it("protobuf 2: the smallest request, and forward_only behind it", () => {
    const smallest = HEAD + CROSS_ENTROPY;
    expect(toHex(writeForwardBackward(request({})))).toBe(toHex(hex(smallest)));
    const forward = writeForwardBackward(request({}, { forward_only: true }));
    expect(toHex(forward)).toBe(toHex(hex(`${smallest} 3001`)));
  });

  it("protobuf 3: config numbers are written to both maps, nothing for an empty config", () => {
    const zero = toHex(writeForwardBackward(request({ loss_fn_config: { a: 0 } })));
    expect(zero.endsWith(toHex(hex("2a0c0a0161110000000000000000 3a0e0a0161120909 0000000000000000")))).toBe(
      true,
    );
    const minusZero = toHex(writeForwardBackward(request({ loss_fn_config: { a: -0 } })));
    expect(minusZero.endsWith("00000080")).toBe(true);
    expect(writeForwardBackward(request({ loss_fn_config: {} }))).toEqual(writeForwardBackward(request({})));
  });

  it("protobuf 4: seq_id from 1 to 2^31 - 1", () => {
    const largest = toHex(writeForwardBackward(request({}, { seq_id: 2147483647 })));
    expect(largest.slice(6)).toMatch(/^10ffffffff07/);
    for (const seqId of [0, 2147483648, 1.5]) {
      expect(() => writeForwardBackward(request({}, { seq_id: seqId }))).toThrow(
        /seq_id must be an integer from 1/,
      );
    }
  });

  it("protobuf 5: a token beyond int32 is an error that names its place", () => {
    const data = [{ model_input: ModelInput.fromInts([1, 2147483648]), loss_fn_inputs: {} }];
    expect(() => writeForwardBackward(request({ data }))).toThrow("data[0].model_input.chunks[0].tokens[1]");
  });

  it("protobuf 6: a datum without chunks and tensors", () => {
    const bytes = writeForwardBackward(
      request({ data: [{ model_input: ModelInput.empty(), loss_fn_inputs: {} }] }),
    );
    expect(toHex(bytes)).toBe(toHex(hex(`${HEAD} 1a00 ${CROSS_ENTROPY}`)));
  });

  it("protobuf 7: an image asset pointer cannot be sent", () => {
    const chunk = { location: "s3://x", format: "png" } as const;
    expect(() => chunkBytes(chunk)).toThrow("data[0].model_input.chunks[0] is an image_asset_pointer");
  });

  it("protobuf 8: sparse without column indices", () => {
    const { sparse_col_indices: _, ...broken } = csr;
    expect(() => tensorBytes(broken)).toThrow("data[0].loss_fn_inputs.k.sparse_col_indices: is missing");
  });

  it("protobuf 9: the worked datum reads back the same", () => {
    const datum: Datum = {
      model_input: ModelInput.fromInts([1, 2, 3]),
      loss_fn_inputs: {
        target_tokens: { data: [2, 3, 4], dtype: "int64", shape: [3] },
        weights: { data: [0, 1, 1], dtype: "float32", shape: [3] },
      },
    };
    const bytes = writeForwardBackward(request({ data: [datum] }));
    const worked = `${HEAD} 1a64 0a100a0e0a0c010000000200000003000000
      1230 0a0d7461726765745f746f6b656e73 121f0a18 020000000000000003000000000000000400000000000000 1802 220103
      121e 0a0777656967687473 1213 0a0c000000000000803f0000803f 1801 220103 ${CROSS_ENTROPY}`;
    expect(toHex(bytes)).toBe(toHex(hex(worked)));
    expect(readForwardBackward(bytes)).toEqual({
      model_id: "m",
      seq_id: 1,
      forward_only: false,
      forward_backward_input: {
        loss_fn: "cross_entropy",
        data: [
          {
            model_input: { chunks: [{ tokens: new Int32Array([1, 2, 3]), type: "encoded_text" }] },
            loss_fn_inputs: {
              target_tokens: { data: new BigInt64Array([2n, 3n, 4n]), dtype: "int64", shape: [3] },
              weights: { data: new Float32Array([0, 1, 1]), dtype: "float32", shape: [3] },
            },
          },
        ],
      },
    });
  });

  it("agrees with an independent protobuf reader", () => {
    const datum: Datum = {
      model_input: { chunks: [{ tokens: [7, 8] }, { data: hex("0102"), format: "png" }] },
      loss_fn_inputs: { größe: csr },
    };
    const bytes = writeForwardBackward(
      request({ data: [datum], loss_fn_config: { a: 1, b: "x" } }, { seq_id: 300 }),
    );
    const message = fromBinary(ForwardBackwardRequestSchema, bytes);
    expect(message.seqId).toBe(300);
    expect(message.data[0]?.modelInput.map((chunk) => chunk.chunk.case)).toEqual(["encodedText", "image"]);
    expect(Object.keys(message.data[0]?.lossFnInputs ?? {})).toEqual(["größe"]);
    expect(message.lossFnConfig).toEqual({ a: 1 });
    expect(message.lossFnConfigV2.b?.value).toEqual({ case: "text", value: "x" });
  });

  it.each<[string, TensorData, string]>([
    ["a fraction under int64", { data: [1, 2.5], dtype: "int64" }, ".data[1] must be a safe integer"],
    ["an unsafe integer", { data: [2 ** 53], dtype: "int64" }, ".data[0] must be a safe integer"],
    [
      "a double beyond float32",
      { data: [1e39], dtype: "float32" },
      ".data[0] must be a number within float32",
    ],
    [
      "a wrong typed array",
      { data: new Float32Array(1), dtype: "int64" },
      ".data: a Float32Array cannot be int64",
    ],
    [
      "a shape that does not fit",
      { data: [1, 2, 3], dtype: "float32", shape: [2, 2] },
      ".shape: [2, 2] does not hold 3",
    ],
  ])("refuses %s", (_, tensor, message) => {
    const attempt = () => tensorBytes(tensor);
    expect(attempt).toThrow(ValidationError);
    expect(attempt).toThrow(`data[0].loss_fn_inputs.k${message}`);
  });

  it("copies typed arrays and lists to the same bytes", () => {
    const lists = tensorBytes({ data: [1.5, -2], dtype: "float32" });
    expect(tensorBytes({ data: new Float32Array([1.5, -2]), dtype: "float32" })).toBe(lists);
    const wide = tensorBytes({ data: [-5, 2 ** 40, 1], dtype: "int64" });
    expect(tensorBytes({ data: new BigInt64Array([-5n, 2n ** 40n, 1n]), dtype: "int64" })).toBe(wide);
    expect(tensorBytes({ data: new Int32Array([-5, 7]), dtype: "int64" })).toBe(
      tensorBytes({ data: [-5, 7], dtype: "int64" }),
    );
  });

  it.each<[string, Partial<Input>, string]>([
    [
      "a number",
      { loss_fn: "ppo", loss_fn_config: { clip_low_threshold: 0.8 } },
      `220370706f 2a1d 0a12636c69705f6c6f775f7468726573686f6c64 119a9999999999e93f
       3a1f 0a12636c69705f6c6f775f7468726573686f6c64 1209099a9999999999e93f`,
    ],
    [
      "a text",
      { loss_fn: "custom", loss_fn_config: { loss_id: "L1" } },
      "2206637573746f6d 3a0f 0a076c6f73735f6964 120412024c31",
    ],
    [
      "a text that looks like a number",
      { loss_fn: "dro", loss_fn_config: { a: "0.5" } },
      "220364726f 3a0a 0a0161 12051203302e35",
    ],
    ["an empty text", { loss_fn: "dro", loss_fn_config: { a: "" } }, "220364726f 3a07 0a0161 12021200"],
    [
      "a number and a text",
      { loss_fn: "dro", loss_fn_config: { a: 0, b: "s" } },
      `220364726f 2a0c0a0161110000000000000000 3a0e0a0161 12090900000000000000 00 3a080a0162 1203120173`,
    ],
  ])("newest-wire 1, 3, newest-clients 22: the loss config %s", (_, input, expected) => {
    expect(toHex(writeForwardBackward(request(input)))).toBe(toHex(hex(HEAD + expected)));
  });

  it("newest-wire 2: NaN is kept in both maps; null, booleans and bigints are errors", () => {
    const nan = toHex(writeForwardBackward(request({ loss_fn_config: { a: Number.NaN } })));
    expect(nan.match(/000000000000f87f/g)).toHaveLength(2);
    for (const value of [null, true, 1n, [1]]) {
      const config = { a: value } as unknown as Input["loss_fn_config"];
      expect(() => writeForwardBackward(request({ loss_fn_config: config }))).toThrow(
        "loss_fn_config.a must be a number or a string",
      );
    }
  });

  it("newest-wire 3: a config value without number or text does not decode", () => {
    expect(() => readForwardBackward(hex(`${HEAD} 3a050a01611200`))).toThrow(
      "a config value without number or text",
    );
  });

  it.each<[string, ProvenanceSpan, string]>([
    ["prompt", { type: "prompt_tokens", sequence_id: "q", length: 3 }, "0a050a01711803"],
    ["sampled", { type: "sampled_tokens", sequence_id: "q", length: 3 }, "12050a01711803"],
    [
      "with an offset",
      { type: "prompt_tokens", sequence_id: "q", offset: 2, length: 3 },
      "0a070a017110021803",
    ],
  ])("newest-wire 1: a span, %s", (_, span, expected) => {
    const datum = Datum.of([1, 2, 3], {}, { model_input_spans: [span], loss_fn_input_spans: [] });
    expect(datumBytes(datum)).toBe(`${chunksOf123}1a0${(expected.length / 2).toString(16)}${expected}`);
  });

  it("newest-wire 1: a span of no length, and a whole request with spans", () => {
    const none: ProvenanceSpan = { type: "sampled_tokens", sequence_id: "s1", length: 0 };
    const empty = Datum.of([], {}, { model_input_spans: [none], loss_fn_input_spans: [] });
    expect(datumBytes(empty)).toBe(toHex(hex("0a020a00 1a06 12040a027331")));

    const sampled = (length: number): ProvenanceSpan => ({
      type: "sampled_tokens",
      sequence_id: "q",
      length,
    });
    const datum = Datum.of(
      [1, 2, 3],
      { target_tokens: { data: [2, 3, 4], dtype: "int64", shape: [3] } },
      {
        model_input_spans: [{ type: "prompt_tokens", sequence_id: "q", length: 2 }, sampled(1)],
        loss_fn_input_spans: [sampled(3)],
      },
    );
    const bytes = writeForwardBackward(request({ data: [datum] }));
    const worked = `${HEAD} 1a5f ${chunksOf123}
      1230 0a0d7461726765745f746f6b656e73 121f0a18 020000000000000003000000000000000400000000000000 1802 220103
      1a070a050a01711802 1a0712050a01711801 220712050a01711803 ${CROSS_ENTROPY}`;
    expect(toHex(bytes)).toBe(toHex(hex(worked)));
    const [read] = readForwardBackward(bytes).forward_backward_input.data;
    expect(read?.loss_fn_input_spans).toEqual([{ ...sampled(3), offset: 0 }]);
  });

  it("newest-wire 7: the dimensions of an image are passed over", () => {
    const withDimensions = hex(`${HEAD} 1a12 0a10 120e 0a0101 1203706e67 2204 0801 1002`);
    const [datum] = readForwardBackward(withDimensions).forward_backward_input.data;
    expect(datum?.model_input.chunks).toEqual([{ data: hex("01"), format: "png", type: "image" }]);
  });

  it("grows when the framing needs more than was set aside", () => {
    const config = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`${"ключ".repeat(30)}${index}`, index]),
    );
    const bytes = writeForwardBackward(request({ loss_fn_config: config }));
    expect(readForwardBackward(bytes).forward_backward_input.loss_fn_config).toEqual(config);
  });
});
