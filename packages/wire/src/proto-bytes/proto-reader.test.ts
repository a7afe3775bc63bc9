import { describe, expect, it } from "vitest";
import { DecodeError } from "../decode-error.js";
import { hex } from "../testing/hex.js";
import { ProtoReader } from "./proto-reader.js";

function first(text: string): ProtoReader {
  const reader = ProtoReader.of(hex(text), "Test");
  reader.next();
  return reader;
}

function faultOf(action: () => unknown): DecodeError {
  try {
    action();
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
  throw new Error("no fault");
}

describe("ProtoReader", () => {
  it.each<[string, (reader: ProtoReader) => unknown, unknown]>([
    ["08 00", (reader) => reader.integer("a"), 0],
    ["08 ffffffffffffff0f", (reader) => reader.integer("a"), 2 ** 53 - 1],
    ["08 ffffffffffffffffff01", (reader) => reader.integer("a"), -1],
    ["08 ffffffffffffffffff01", (reader) => reader.int32("a"), -1],
    ["08 8080808010", (reader) => reader.int32("a"), 0],
    ["08 ffffffff0f", (reader) => reader.uint32("a"), 2 ** 32 - 1],
    ["08 8080808010", (reader) => reader.boolean("a"), true],
    ["0a 02 c3a9", (reader) => reader.text("a"), "é"],
    ["09 000000000000f83f", (reader) => reader.double("a"), 1.5],
  ])("reads %s", (text, read, expected) => {
    expect(read(first(text))).toBe(expected);
  });

  it("reads numbers packed and not, also mixed", () => {
    const reader = ProtoReader.of(hex("0a03 01ac02 0805"), "Test");
    const values: number[] = [];
    while (reader.next()) reader.dimensions("a", values);
    expect(values).toEqual([1, 300, 5]);
  });

  it.each<[string, string, (reader: ProtoReader) => unknown, string]>([
    ["a length beyond the end", "0a05 6162", (reader) => reader.bytes("a"), "needs 5 bytes, 2 are left"],
    [
      "a length of two gigabytes",
      "0a ffffffff07",
      (reader) => reader.bytes("a"),
      "needs 2147483647 bytes, 0 are left",
    ],
    ["a negative length", "0a ffffffffffffffffff01", (reader) => reader.bytes("a"), "negative length -1"],
    ["a number that does not end", "08 80", (reader) => reader.integer("a"), "ends inside a number"],
    [
      "a number of eleven bytes",
      "08 8080808080808080808001",
      (reader) => reader.integer("a"),
      "longer than 10 bytes",
    ],
    ["an integer beyond 2^53", "08 8080808080808010", (reader) => reader.integer("a"), "beyond 2^53"],
    ["another wire type", "0d 00000000", (reader) => reader.text("a"), "wire type 5 where 2 belongs"],
    ["text that is not UTF-8", "0a01 ff", (reader) => reader.text("a"), "not UTF-8 text"],
    [
      "half an element",
      "0a03 010203",
      (reader) => reader.elements("a", 4),
      "3 bytes are not a whole number of elements of 4",
    ],
    ["the end of a group", "0c", (reader) => reader.skip(), "wire type 4 of field 1 is not known"],
    ["a group in place of a string", "0b 0c", (reader) => reader.text("a"), "wire type 3 where 2 belongs"],
    ["a group that does not end", "0b 1001", (reader) => reader.skip(), "ends inside a group"],
    [
      "a group that ends as another",
      "0b 14",
      (reader) => reader.skip(),
      "group 2 ends where another is open",
    ],
    ["a group that ends within another", "0b 13 0c", (reader) => reader.skip(), "group 1 ends where"],
    [
      "an unknown number of eleven bytes",
      `08 ${"ff".repeat(10)}01`,
      (reader) => reader.skip(),
      "longer than 10",
    ],
  ])("refuses %s", (_, text, read, fault) => {
    const error = faultOf(() => read(first(text)));
    expect(error.message).toContain(fault);
    expect([error.code, error.messageType, error.offset]).toEqual(["decode_failed", "Test", 0]);
  });

  it("refuses the field number 0, and tags of more than 32 bits or five bytes", () => {
    expect(() => ProtoReader.of(hex("00 00"), "Test").next()).toThrow("invalid tag 0");
    expect(() => ProtoReader.of(hex("888080808010 00"), "Test").next()).toThrow("invalid tag");
    expect(() => ProtoReader.of(hex("888080808000 00"), "Test").next()).toThrow("invalid tag 8");
    expect(ProtoReader.of(hex("8880808000 00"), "Test").next()).toBe(true);
  });

  it("keeps a mark of byte order at the start of a string, which is a character of it", () => {
    expect(first("0a 04 efbbbf61").text("a")).toBe("\ufeffa");
  });

  it("passes over groups within groups as deep as messages may be", () => {
    const nested = (depth: number) => first(`${"0b".repeat(depth)} ${"0c".repeat(depth)}`);
    expect(() => nested(99).skip()).not.toThrow();
    expect(() => nested(100).skip()).toThrow("groups nested more than 99 deep");
    expect(() => nested(100_000).skip()).toThrow("groups nested more than 99 deep");
  });

  it("reads a message that comes in several parts as one", () => {
    const reader = ProtoReader.of(hex("0a02 0801 1005 0a00 0a02 1007"), "Test");
    let parts: ProtoReader | undefined;
    while (reader.next()) {
      if (reader.field === 1) parts = reader.message("a", parts);
      else reader.skip();
    }
    const fields: [number, number][] = [];
    while (parts?.next()) fields.push([parts.field, parts.integer("b")]);
    expect(fields).toEqual([
      [1, 1],
      [2, 7],
    ]);
  });

  it("does not read on from one part of a message into the next", () => {
    const reader = ProtoReader.of(hex("0a02 0a02 0a02 6162"), "Test");
    let parts: ProtoReader | undefined;
    while (reader.next()) parts = reader.message("a", parts);
    parts?.next();
    expect(() => parts?.bytes("b")).toThrow("needs 2 bytes, 0 are left");
  });

  it("says where in nested messages a fault is", () => {
    const outer = ProtoReader.of(hex("0800 1206 0800 0a02 6162"), "Test");
    outer.next();
    outer.skip();
    outer.next();
    const inner = outer.message("b");
    inner.next();
    inner.skip();
    inner.next();
    const error = faultOf(() => inner.elements("c", 4));
    expect(error).toMatchObject({ messageType: "Test", field: "b.c", offset: 6 });
  });

  it("passes over fields of every wire type, integers beyond 2^53 and groups too", () => {
    const reader = ProtoReader.of(
      hex(
        "0880808080808010 110000000000000000 1a01ff 2500000000 2b 08ffffffffffffffffff01 0b1a01ff0c 2c 3001",
      ),
      "Test",
    );
    const fields: number[] = [];
    while (reader.next()) {
      fields.push(reader.field);
      reader.skip();
    }
    expect(fields).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("does not read beyond a message into its neighbour", () => {
    const reader = first("0a02 0a04 01020304");
    const inner = reader.message("a");
    inner.next();
    expect(() => inner.bytes("b")).toThrow("needs 4 bytes, 0 are left");
  });
});
