import { ResponseError } from "@tinkex/base";
import { type ForwardBackwardRequest, ModelInput } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { DecodeError } from "../decode-error.js";
import { JSON_TYPE, PROTOBUF_TYPE } from "../encoded-body.js";
import { hex } from "../testing/hex.js";
import { decodeForwardBackwardRequest } from "./decode-forward-backward.js";
import { writeForwardBackward } from "./encode-forward-backward.js";
import { readForwardBackward } from "./read-forward-backward.js";

const MODEL = "0a016d";
const FIRST = "1001";
/** A datum of the tokens 1, 2, 3. */
const CHUNKS = "0a100a0e0a0c010000000200000003000000";
const DATUM = `1a12 ${CHUNKS}`;
const CROSS_ENTROPY = "220d 63726f73735f656e74726f7079";

const read = (bytes: string) => decodeForwardBackwardRequest(PROTOBUF_TYPE, hex(bytes));

describe("decodeForwardBackwardRequest", () => {
  it("reads a protobuf request into the record that the JSON form gives", () => {
    const expected: ForwardBackwardRequest = {
      model_id: "m",
      seq_id: 1,
      forward_only: false,
      forward_backward_input: {
        data: [{ model_input: ModelInput.fromInts([1, 2, 3]), loss_fn_inputs: {} }],
        loss_fn: "cross_entropy",
      },
    };
    const json = new TextEncoder().encode(JSON.stringify(expected));
    const received = read(`${MODEL} ${FIRST} ${DATUM} ${CROSS_ENTROPY}`);
    const [datum] = received.forward_backward_input.data;
    expect(received).toEqual({
      ...expected,
      forward_backward_input: { data: [datum], loss_fn: "cross_entropy" },
    });
    expect(ModelInput.toInts(datum?.model_input ?? ModelInput.empty())).toEqual([1, 2, 3]);
    expect(decodeForwardBackwardRequest(JSON_TYPE, json)).toEqual(expected);
  });

  it("leaves tokens and tensors views on the body", () => {
    const body = writeForwardBackward({
      model_id: "mmmm",
      seq_id: 1,
      forward_backward_input: {
        data: [{ model_input: ModelInput.fromInts(new Int32Array(64)), loss_fn_inputs: {} }],
        loss_fn: "cross_entropy",
      },
    });
    // Tokens are four bytes each; one of four beginnings puts them on a border.
    const sharing = [0, 1, 2, 3].filter((shift) => {
      const moved = new Uint8Array(body.length + shift).subarray(shift);
      moved.set(body);
      const { data } = decodeForwardBackwardRequest(PROTOBUF_TYPE, moved).forward_backward_input;
      const [chunk] = data[0]?.model_input.chunks ?? [];
      return chunk !== undefined && "tokens" in chunk && chunk.tokens instanceof Int32Array
        ? chunk.tokens.buffer === moved.buffer
        : false;
    });
    expect(sharing).toHaveLength(1);
  });

  it.each([
    ["no model id", `${FIRST} ${DATUM} ${CROSS_ENTROPY}`, "model_id: "],
    ["no sequence id", `${MODEL} ${DATUM} ${CROSS_ENTROPY}`, "seq_id: "],
    ["a sequence id below 1", `${MODEL} 10ffffffffffffffffff01 ${DATUM} ${CROSS_ENTROPY}`, "seq_id: "],
    ["no datums", `${MODEL} ${FIRST} ${CROSS_ENTROPY}`, "forward_backward_input.data: no data provided"],
    ["no loss", `${MODEL} ${FIRST} ${DATUM}`, "forward_backward_input.loss_fn: must be one of"],
    [
      "an unknown loss",
      `${MODEL} ${FIRST} ${DATUM} 220470706f6f`,
      'loss_fn: unknown name "ppoo", did you mean "ppo"?',
    ],
    [
      "a span of negative length",
      `${MODEL} ${FIRST} 1a24 ${CHUNKS} 1a10 0a0e 0a0171 18fdffffffffffffffff01 ${CROSS_ENTROPY}`,
      "data[0].model_input_spans[0].length: ",
    ],
    [
      "a span without an id",
      `${MODEL} ${FIRST} 1a18 ${CHUNKS} 1a04 0a021803 ${CROSS_ENTROPY}`,
      "sequence_id: ",
    ],
    [
      "spans that cover too little",
      `${MODEL} ${FIRST} 1a1b ${CHUNKS} 1a07 0a05 0a0171 1802 ${CROSS_ENTROPY}`,
      "model_input_spans cover 2 positions, the model input has 3",
    ],
    [
      "an image that takes fewer than no tokens",
      `${MODEL} ${FIRST} 1a17 0a15 1213 0a0101 1203706e67 18ffffffffffffffffff01 ${CROSS_ENTROPY}`,
      "expected_tokens: ",
    ],
  ])("refuses %s, which another reader may have a place for", (_, bytes, message) => {
    const failure = failureOf(() => read(bytes));
    expect(failure).toBeInstanceOf(ResponseError);
    expect(failure).not.toBeInstanceOf(DecodeError);
    expect(failure.message).toContain("ForwardBackwardRequest: ");
    expect(failure.message).toContain(message);
    expect(() => readForwardBackward(hex(bytes))).not.toThrow();
  });
});

function failureOf(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("readForwardBackward on bodies of very many empty parts", () => {
  const COUNT = 2_000_000;

  /** A datum that repeats `part`. */
  function datumOf(part: string): Uint8Array {
    const bytes = hex(part);
    const length = bytes.length * COUNT;
    const body = new Uint8Array(5 + length);
    body.set([
      0x1a,
      (length & 0x7f) | 0x80,
      ((length >> 7) & 0x7f) | 0x80,
      ((length >> 14) & 0x7f) | 0x80,
      length >> 21,
    ]);
    for (let at = 5; at < body.length; at += bytes.length) body.set(bytes, at);
    return body;
  }

  it.each([
    ["chunks", "0a020a00"],
    ["spans", "1a020a00"],
  ])("refuses two million %s, which would take seconds and many times their bytes", (_, part) => {
    expect(() => readForwardBackward(datumOf(part))).toThrow("more than 1048576 messages in one body");
  });
});
