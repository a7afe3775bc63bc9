import { describe, expect, it } from "vitest";
import { writeJson } from "./write-json.js";

class Point {
  readonly x = 1;
  toJSON(): string {
    return "a point";
  }
}

describe("writeJson", () => {
  it.each<[string, unknown, string]>([
    [
      "a plain record",
      { a: [1, -0, 1e21], b: { c: "\u2028\ud800", d: null, e: true } },
      '{"a":[1,0,1e+21],"b":{"c":"\u2028\\ud800","d":null,"e":true}}',
    ],
    ["members that are undefined", { a: undefined, b: [] }, '{"b":[]}'],
    ["an object with a writer of its own", [{ p: new Point() }], '[{"p":{"x":1}}]'],
    ["a typed array among plain values", { a: [1, 2], b: Int32Array.of(3, 4) }, '{"a":[1,2],"b":[3,4]}'],
    [
      "a list of numbers with a writer of its own",
      { a: Object.assign([1, 2], { toJSON: () => "no" }) },
      '{"a":[1,2]}',
    ],
    ["a list of texts with a writer of its own", [Object.assign(["x"], { toJSON: () => "no" })], '[["x"]]'],
    ["a long integer in a list", [1, 2n ** 63n], "[1,9223372036854775808]"],
  ])("writes %s", (_, value, text) => {
    expect(writeJson(value, "record")).toBe(text);
  });

  it("writes lists as they are where an old library has given all of them a writer", () => {
    const lists: unknown[] & { toJSON?: () => string } = Array.prototype;
    lists.toJSON = () => "no";
    try {
      expect(writeJson({ a: [1, 2], b: ["x", [3]] }, "record")).toBe('{"a":[1,2],"b":["x",[3]]}');
    } finally {
      delete lists.toJSON;
    }
  });

  it.each<[string, unknown, string]>([
    ["NaN in a list of numbers", { a: [1, Number.NaN] }, "record: a[1]: NaN has no JSON form"],
    ["a hole in a list", { a: [{}, undefined] }, "record: a[1]: undefined has no JSON form"],
    ["a function", { toJSON: () => "no" }, "record: toJSON: a function has no JSON form"],
  ])("refuses %s where JSON.stringify would write something else", (_, value, message) => {
    expect(() => writeJson(value, "record")).toThrow(message);
  });
});
