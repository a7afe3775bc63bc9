import { describe, expect, it } from "vitest";
import {
  ForwardBackwardOutputSchema,
  ForwardBackwardRequestSchema,
  SampleResponseSchema,
} from "./generated/tinker_public_pb.js";
import { readSampleResponse } from "./sampling/read-sample-response.js";
import { hex, toHex } from "./testing/hex.js";
import { shapeOf } from "./testing/protobuf/message-shape.js";
import { bytesOf, type TreeField, treeOf } from "./testing/protobuf/message-tree.js";
import { randomOf } from "./testing/protobuf/random.js";
import { RANDOM_MESSAGES } from "./testing/protobuf/random-messages.js";
import { readForwardBackward } from "./training/read-forward-backward.js";
import { readForwardBackwardOutput } from "./training/read-forward-backward-output.js";

/** Fields that no message of the schema has. */
const UNKNOWN: Readonly<Record<string, string>> = {
  "an integer of 2^53": "9003 8080808080808010",
  "the largest integer": "9003 ffffffffffffffffff01",
  "a negative integer": "9003 80808080808080808001",
  "eight bytes": "9103 0102030405060708",
  "a string": "9203 03 e298ba",
  "bytes that are no UTF-8": "9203 02 fffe",
  "a group": "9303 08ffffffffffffffffff01 9403",
  "groups in groups": "9303 9303 0b 0c 9403 0a01ff 9403",
  "four bytes": "9503 01020304",
};

const READERS = [
  { name: "SampleResponse", shape: shapeOf(SampleResponseSchema), read: readSampleResponse },
  {
    name: "ForwardBackwardOutput",
    shape: shapeOf(ForwardBackwardOutputSchema),
    read: readForwardBackwardOutput,
  },
  { name: "ForwardBackwardRequest", shape: shapeOf(ForwardBackwardRequestSchema), read: readForwardBackward },
] as const;

/** Puts a field into the message and every message within it: in front, between and behind. */
function withField(fields: readonly TreeField[], unknown: TreeField): TreeField[] {
  const inner = fields.map((field) =>
    Array.isArray(field.content) ? { ...field, content: withField(field.content, unknown) } : field,
  );
  return [unknown, ...inner.flatMap((field) => [field, unknown])];
}

/** Gives bytes as a field that is written as it is: an unknown one, whose content is everything behind its tag. */
function rawField(text: string): TreeField {
  const bytes = hex(text);
  // The tag has two bytes, and the content of a varint is written without a length.
  const number = (((bytes[0] ?? 0) & 0x7f) + ((bytes[1] ?? 0) << 7)) >>> 3;
  const wireType = (bytes[0] ?? 0) & 7;
  return wireType === 3
    ? { number, wireType, content: bytes.slice(2, -2), shape: undefined }
    : { number, wireType, content: bytes.slice(wireType === 2 ? 3 : 2), shape: undefined };
}

/** Makes messages that the reader takes: some of the random ones mean nothing. */
function messagesOf({ name, shape, read }: (typeof READERS)[number]): TreeField[][] {
  const drawn = Array.from({ length: 40 }, (_, seed) => RANDOM_MESSAGES[name](randomOf(seed)));
  const messages = drawn.filter((bytes) => outcomeOf(() => read(bytes)) === "");
  expect(messages.length).toBeGreaterThan(10);
  return messages.map((bytes) => treeOf(bytes, shape));
}

// samchon/typia#2116, apple/swift-protobuf#1169: messages with an unknown field refused, or read wrong, where it is skipped.
describe("fields of a newer server or client", () => {
  it.each(READERS)("are passed over at every level of a $name", (reader) => {
    const { read } = reader;
    const messages = messagesOf(reader);
    for (const unknown of Object.values(UNKNOWN))
      for (const message of messages) {
        const plain = Uint8Array.from(bytesOf(message));
        const extended = Uint8Array.from(bytesOf(withField(message, rawField(unknown))));
        expect(extended.length).toBeGreaterThan(plain.length);
        expect(read(extended), toHex(extended)).toEqual(read(plain));
      }
  });

  it("are passed over in a result of nothing else", () => {
    const nothing = readForwardBackwardOutput(hex(""));
    for (const unknown of Object.values(UNKNOWN))
      expect(readForwardBackwardOutput(hex(unknown))).toEqual(nothing);
    expect(readForwardBackwardOutput(hex("0a0178 9003 8080808080808010")).loss_fn_output_type).toBe("x");
  });
});

describe("a message that comes in parts", () => {
  it("is merged: matrices of a sample, and pairs of tensors", () => {
    // k and length come before the cells, in parts of their own.
    const parts = "1a04 18012001 1a06 0a0407000000 1a06 12040000803f";
    expect(readSampleResponse(hex(parts)).topk_prompt_logprobs).toEqual([[[7, 1]]]);
    const tensors = "3206 0a04 1802 2001 320c 0a0a 0a08 0500000000000000 3206 1204 18012000";
    const pair = readSampleResponse(hex(tensors)).prompt_alt_tokens;
    expect(pair?.tokens).toEqual({ data: BigInt64Array.of(5n), dtype: "int64", shape: [1] });
    expect(pair?.logprobs).toEqual({ data: new Float32Array(0), dtype: "float32", shape: [0] });
  });

  it("is merged where it is the value of a map, whose key twice replaces the value", () => {
    const tensor = (parts: string) => {
      const entry = `0a0161 ${parts}`;
      const datum = `12${size(entry)}${entry}`;
      return readForwardBackward(hex(`1a${size(datum)}${datum}`)).forward_backward_input.data[0];
    };
    expect(tensor("1206 0a040000803f 1202 1801")?.loss_fn_inputs.a?.data).toEqual(Float32Array.of(1));
    // protocolbuffers/protobuf-es keeps the last entry of a key, too.
    const field = (value: string) =>
      `12${size(`0a0178 12${size(value)}${value}`)} 0a0178 12${size(value)}${value}`;
    const batch = (element: string) => `0a04${element} 1210 00000000000000000400000000000000 1801`;
    const record = `${field(batch("0000803f"))} ${field(batch("00000040"))} 1801`;
    const output = readForwardBackwardOutput(hex(`12${size(record)}${record}`));
    expect(output.loss_fn_outputs).toEqual([
      { x: { data: Float32Array.of(2), dtype: "float32", shape: [1] } },
    ]);
  });

  it("of two kinds is the last one, whole", () => {
    // Tokens, an image without its format, tokens again: nothing is left of the first.
    const chunk = "0a06 0a0401000000 1203 0a01ff 0a06 0a0402000000";
    const datum = `0a${size(chunk)}${chunk}`;
    expect(() => readForwardBackward(hex(`1a${size(datum)}${datum}`))).toThrow(
      'image format "" is not known',
    );
    const merged = "0a06 0a0401000000 1205 1203706e67 1203 0a01ff";
    const image = `0a${size(merged)}${merged}`;
    const { data } = readForwardBackward(hex(`1a${size(image)}${image}`)).forward_backward_input;
    expect(data[0]?.model_input.chunks).toEqual([
      { data: Uint8Array.of(0xff), format: "png", type: "image" },
    ]);
  });
});

describe("a body of empty messages", () => {
  /** Fills a body with `unit`. */
  function bodyOf(unit: string, bytes: number): Uint8Array {
    const part = hex(unit);
    const body = new Uint8Array(bytes);
    body.set(part);
    for (let filled = part.length; filled < bytes; filled *= 2) body.copyWithin(filled, 0, filled);
    return body;
  }

  it.each<[string, string, (body: Uint8Array) => unknown]>([
    ["matrices in a sample", "1a00", readSampleResponse],
    ["pairs of tensors in a sample", "3200", readSampleResponse],
  ])("of %s is refused after a million of them, however many follow", (_, unit, read) => {
    const limit = 1_048_576;
    expect(outcomeOf(() => read(bodyOf(unit, 8_000_000)))).toContain(
      "more than 1048576 messages in one body",
    );
    expect(outcomeOf(() => read(bodyOf(unit, 2 * limit - 4)))).not.toContain("messages in one body");
  });

  it.each<[string, string, (body: Uint8Array) => unknown]>([
    ["records", "1200", readForwardBackwardOutput],
    ["metrics", "1a00", readForwardBackwardOutput],
    ["settings", "2a00", readForwardBackward],
    ["settings", "3a0b 1209 09 0000000000000000", readForwardBackward],
    ["samples", "0a00", readSampleResponse],
    ["datums", "1a00", readForwardBackward],
  ])("of %s (%s) is refused after 65536 of them", (what, unit, read) => {
    const bytes = hex(unit).length;
    expect(outcomeOf(() => read(bodyOf(unit, bytes * 65_537)))).toMatch(`more than 65536 ${what}`);
    expect(outcomeOf(() => read(bodyOf(unit, bytes * 65_536)))).not.toContain("more than 65536");
  });
});

function outcomeOf(read: () => unknown): string {
  try {
    read();
    return "";
  } catch (error) {
    return String(error);
  }
}

/** Gives the length of bytes as a byte, in hexadecimal digits. */
function size(text: string): string {
  return toHex(Uint8Array.of(hex(text).length));
}
