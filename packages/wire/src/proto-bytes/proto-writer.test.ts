import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { toHex } from "../testing/hex.js";
import { ProtoWriter } from "./proto-writer.js";

function written(write: (writer: ProtoWriter) => void): string {
  const writer = new ProtoWriter(new Uint8Array(0));
  write(writer);
  return toHex(writer.finish());
}

describe("ProtoWriter", () => {
  it.each([
    [1, "1001"],
    [127, "107f"],
    [128, "108001"],
    [16_383, "10ff7f"],
    [16_384, "10808001"],
    [Number.MAX_SAFE_INTEGER, "10ffffffffffffff0f"],
  ])("writes %d as a varint", (value, expected) => {
    expect(written((writer) => writer.varintField(2, value))).toBe(expected);
  });

  it("leaves out a 0 unless it must be there", () => {
    expect(written((writer) => writer.varintField(2, 0))).toBe("");
    expect(written((writer) => writer.presentVarint(2, 0))).toBe("1000");
  });

  it.each([
    -1,
    1.5,
    2 ** 31 + 0.5,
    -(2 ** 32),
    2 ** 53,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    5n as never,
    "5" as never,
  ])("refuses %s, for which a varint has no form", (value) => {
    const message = `protobuf field 2 must be an integer from 0 to 2^53 - 1, got ${value}`;
    for (const write of [
      (writer: ProtoWriter) => writer.varintField(2, value),
      (writer: ProtoWriter) => writer.presentVarint(2, value),
      (writer: ProtoWriter) => writer.packedVarints(2, [1, value]),
    ]) {
      expect(() => written(write)).toThrow(new ValidationError(message));
    }
  });
});
