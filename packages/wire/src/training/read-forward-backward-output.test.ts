import type { NamedTensors } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { DecodeError } from "../decode-error.js";
import { hex } from "../testing/hex.js";
import { readForwardBackwardOutput } from "./read-forward-backward-output.js";
import { writeForwardBackwardOutput } from "./write-forward-backward-output.js";

function read(text: string) {
  return readForwardBackwardOutput(hex(text));
}

function float32(data: number[], shape = [data.length]) {
  return { data: new Float32Array(data), dtype: "float32", shape } as const;
}

function int64(data: bigint[], shape = [data.length]) {
  return { data: new BigInt64Array(data), dtype: "int64", shape } as const;
}

/** A record with one field `x` of int32 elements 1, 2 and these offsets. */
function int32Record(offsets: string): string {
  const bytes = hex(offsets).length;
  const tensor = `0a080100000002000000 12${byte(bytes)}${offsets} 1803`;
  const entry = `0a0178 12${byte(hex(tensor).length)}${tensor}`;
  const record = `12${byte(hex(entry).length)}${entry}`;
  return `12${byte(hex(record).length)}${record}`;
}

function byte(value: number): string {
  return value.toString(16).padStart(2, "0");
}

const le64 = (value: number): string => `${byte(value)}00000000000000`;

const MAIN = `0a17706b672e6d6f643a546f7263684c6f737352657475726e
  123d 0a0154 1236 0a086c6f6770726f6273
    122a 0a0c000080bf000000c0000040c0 1218 000000000000000008000000000000000c00000000000000 1801 1802
  1a130a086c6f73733a73756d11000000000000f83f`;

describe("the protobuf form of a training result", () => {
  it("protobuf 18: two datums of different lengths", () => {
    expect(read(MAIN)).toEqual({
      loss_fn_output_type: "TorchLossReturn",
      loss_fn_outputs: [{ logprobs: float32([-1, -2]) }, { logprobs: float32([-3]) }],
      metrics: { "loss:sum": 1.5 },
    });
  });

  it.each<[string, string, string, NamedTensors[], Record<string, number>]>([
    ["nothing", "", "ArrayRecord", [], {}],
    ["a type without records", "0a05613a623a43", "a:b:C", [], {}],
    [
      "records without fields",
      "0a0f546f7263684c6f737352657475726e12021803",
      "TorchLossReturn",
      [{}, {}, {}],
      {},
    ],
    [
      "bfloat16",
      "122712230a0178121e0a08803f00bfc07f807f 1210 00000000000000000800000000000000 1804 1801",
      "",
      [{ x: float32([1, -0.5, Number.NaN, Number.POSITIVE_INFINITY]) }],
      {},
    ],
    [
      "int32",
      "122f122b0a017812260a08ffffffff02000000 1218 000000000000000004000000000000000800000000000000 1803 1802",
      "",
      [{ x: int64([-1n]) }, { x: int64([2n]) }],
      {},
    ],
    [
      "a trailing shape",
      "1232122e0a017812290a100000803f000000400000404000008040 1210 00000000000000001000000000000000 1801 220102 1801",
      "",
      [{ x: float32([1, 2, 3, 4], [2, 2]) }],
      {},
    ],
    [
      "metrics NaN and 0",
      "1a0c0a016111000000000000f87f1a0c0a0162110000000000000000",
      "ArrayRecord",
      [],
      { a: Number.NaN, b: 0 },
    ],
  ])("protobuf 18: %s", (_, body, type, outputs, metrics) => {
    expect(read(body)).toEqual({ loss_fn_output_type: type, loss_fn_outputs: outputs, metrics });
  });

  it("protobuf 19: records may differ in trailing shape and dtype, and keep their order", () => {
    const outputs = [
      { x: float32([1, 2, 3, 4], [2, 2]) },
      { x: int64([1n, 2n, 3n, 4n, 5n, 6n], [1, 6]) },
      { x: float32([9, 9], [1, 2]) },
    ];
    const bytes = writeForwardBackwardOutput({
      loss_fn_output_type: "T",
      loss_fn_outputs: outputs,
      metrics: {},
    });
    expect(readForwardBackwardOutput(bytes).loss_fn_outputs).toEqual(outputs);
  });

  it("protobuf 20: int64 beyond 2^53 is exact", () => {
    const outputs = [{ x: int64([2n ** 53n + 1n]) }];
    const bytes = writeForwardBackwardOutput({
      loss_fn_output_type: "T",
      loss_fn_outputs: outputs,
      metrics: {},
    });
    expect(readForwardBackwardOutput(bytes).loss_fn_outputs).toEqual(outputs);
  });

  it.each([
    ["inside an element", le64(0) + le64(3), /offset 1 is 3, inside an element/],
    ["beyond the data", le64(0) + le64(12), /offset 1 is 12, not within 0 to 8/],
    ["decreasing", le64(8) + le64(4), /offset 1 is 4, not within 8 to 8/],
    ["cut short", `${le64(0)}0000`, /not a whole number of elements of 8 bytes/],
  ])("protobuf 21: offsets %s are an error", (_, offsets, message) => {
    expect(() => read(int32Record(offsets))).toThrow(DecodeError);
    expect(() => read(int32Record(offsets))).toThrow(message);
  });

  it("protobuf 21: no offsets, no datums", () => {
    expect(read(int32Record("")).loss_fn_outputs).toEqual([]);
    expect(read(int32Record(le64(0))).loss_fn_outputs).toEqual([]);
  });

  it("protobuf 22: the claimed number of datums wins, unless it is too large", () => {
    const two = hex(int32Record(le64(0) + le64(4) + le64(8)));
    const withCount = (count: number) => {
      // The record is the only field: lengthen it by a num_datums field.
      const record = [...two.slice(2), 0x18, count];
      return readForwardBackwardOutput(Uint8Array.from([0x12, record.length, ...record])).loss_fn_outputs
        .length;
    };
    expect(() => withCount(3)).toThrow("2 tensors for 3 datums");
    expect(withCount(1)).toBe(1);
    expect(withCount(0)).toBe(2);
  });

  it("refuses a claim of many datums without data", () => {
    expect(() => read("1206 18ffffffff07")).toThrow("2147483647 datums without any data");
  });

  it("protobuf 23: a trailing shape that is not packed", () => {
    const tensor =
      "0a100000803f000000400000404000008040 1210 00000000000000001000000000000000 1801 2002 2002";
    const entry = `0a0178 12${byte(hex(tensor).length)}${tensor}`;
    const record = `12${byte(hex(entry).length)}${entry} 1801`;
    const outputs = read(`12${byte(hex(record).length)}${record}`).loss_fn_outputs;
    expect(outputs).toEqual([{ x: float32([1, 2, 3, 4], [1, 2, 2]) }]);
  });

  it("protobuf 24: unknown fields are passed over", () => {
    expect(read(`f8010a ${MAIN} f8010a`)).toEqual(read(MAIN));
  });

  it("protobuf 25: cut short, or JSON in place of protobuf", () => {
    expect(() => read("0a05")).toThrow(DecodeError);
    const json = new TextEncoder().encode('{"metrics":{}}');
    expect(() => readForwardBackwardOutput(json)).toThrow(DecodeError);
  });

  it("protobuf 26: arrays at odd offsets", () => {
    for (let shift = 0; shift < 8; shift++) {
      const body = hex(MAIN);
      const shifted = new Uint8Array(body.length + shift).subarray(shift);
      shifted.set(body);
      expect(readForwardBackwardOutput(shifted)).toEqual(read(MAIN));
    }
  });

  it("protobuf 27: map entries without key or value, and a key twice", () => {
    expect(read("1a00").metrics).toEqual({ "": 0 });
    const entry = (value: string) => `1a0c0a016111${value}`;
    expect(read(entry("000000000000f83f") + entry("0000000000000040")).metrics).toEqual({ a: 2 });
  });

  it("gives views on the body where it is aligned", () => {
    const body = writeForwardBackwardOutput({
      loss_fn_output_type: "T",
      loss_fn_outputs: [{ a: float32([1]) }, { a: float32([2]) }],
      metrics: {},
    });
    const aligned = [0, 1, 2, 3].map((shift) => {
      const shifted = new Uint8Array(body.length + shift).subarray(shift);
      shifted.set(body);
      return readForwardBackwardOutput(shifted).loss_fn_outputs[0]?.a?.data as Float32Array;
    });
    expect(aligned.filter((data) => data.buffer.byteLength > 8)).toHaveLength(1);
  });

  it("keeps a key named __proto__ as an own property", () => {
    const bytes = writeForwardBackwardOutput({
      loss_fn_output_type: "T",
      loss_fn_outputs: [],
      metrics: JSON.parse('{"__proto__": 1}') as Record<string, number>,
    });
    const { metrics } = readForwardBackwardOutput(bytes);
    expect(Object.entries(metrics)).toEqual([["__proto__", 1]]);
    expect(Object.getPrototypeOf(metrics)).toBe(Object.prototype);
  });
});

describe("a result that would take many times the memory of its bytes", () => {
  const varint = (value: number): number[] =>
    value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 128))];
  const field = (number: number, bytes: Uint8Array): Buffer =>
    Buffer.concat([Buffer.from([number * 8 + 2, ...varint(bytes.length)]), bytes]);
  /** A record whose field `x` has so many empty tensors. */
  const emptyTensors = (count: number, more: Uint8Array = new Uint8Array(0)): Buffer => {
    const tensor = Buffer.concat([field(2, Buffer.alloc(8 * (count + 1))), Buffer.from([0x18, 1]), more]);
    return field(2, field(2, Buffer.concat([field(1, Buffer.from("x")), field(2, tensor)])));
  };

  it("of empty tensors is refused", () => {
    expect(() => readForwardBackwardOutput(emptyTensors(1_000_000))).toThrow(/fields|offsets/);
    expect(() => readForwardBackwardOutput(emptyTensors(1_000_000))).toThrow(
      /: the result would take more than 10 times the memory of its bytes$/,
    );
    expect(readForwardBackwardOutput(emptyTensors(10_000)).loss_fn_outputs).toHaveLength(10_000);
  });

  it("of empty tensors in many records is refused", () => {
    const record = emptyTensors(10_000);
    expect(() => readForwardBackwardOutput(Buffer.concat(Array(100).fill(record)))).toThrow(DecodeError);
  });

  it("of metrics without values is refused", () => {
    const metrics = Array.from({ length: 100_000 }, (_, index) =>
      Buffer.from([
        0x1a,
        6,
        0x0a,
        4,
        index & 127,
        (index >> 7) & 127,
        (index >> 14) & 127,
        (index >> 21) & 127,
      ]),
    );
    expect(() => readForwardBackwardOutput(Buffer.concat(metrics))).toThrow("more than 65536 metrics");
  });

  it("of tensors with many dimensions is refused", () => {
    const dimensions = field(4, Buffer.alloc(1_000, 1));
    expect(() => readForwardBackwardOutput(emptyTensors(1_000, dimensions))).toThrow(
      /more than 64 dimensions$/,
    );
  });

  it("is not one of two million log-probabilities in a thousand datums", () => {
    const count = 1_000;
    const loss_fn_outputs = Array.from({ length: count }, () => ({
      logprobs: float32(Array(2_000).fill(-1)),
    }));
    const body = writeForwardBackwardOutput({ loss_fn_output_type: "T", loss_fn_outputs, metrics: {} });
    expect(readForwardBackwardOutput(body).loss_fn_outputs).toHaveLength(count);
  });
});
