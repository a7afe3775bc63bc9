import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonMembers, spacedJson } from "./json-text.js";

describe("spacedJson", () => {
  it("puts a space behind commas and colons, and none elsewhere", () => {
    expect(spacedJson('{"a":1,\n "b" : [ true,null ]}')).toBe('{"a": 1, "b": [true, null]}');
  });

  it("leaves strings and numbers as they are written", () => {
    const text = '{"a,b:": "x, y:  \\"{z}\\" \\u00e9", "n": [1.0, 12345678901234567890, -2e5]}';
    expect(spacedJson(text)).toBe(text);
  });

  it("keeps the value of any JSON", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(spacedJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("refuses what is no JSON", () => {
    expect(() => spacedJson("{a: 1}")).toThrow(SyntaxError);
  });
});

describe("jsonMembers", () => {
  it("gives the values as they are written", () => {
    const members = jsonMembers('{ "name" : "f", "arguments":{"x":[1.0,{"y":2}], "z": ","}, "last": 1e3 }');
    expect([...members]).toEqual([
      ["name", '"f"'],
      ["arguments", '{"x":[1.0,{"y":2}], "z": ","}'],
      ["last", "1e3"],
    ]);
  });

  it("finds every member of any object", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const found = [...jsonMembers(JSON.stringify(value))].map(([name, text]) => [name, JSON.parse(text)]);
        expect(Object.fromEntries(found)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("refuses lists, numbers and text", () => {
    for (const text of ["[1]", "1", '"a"', "null"])
      expect(() => jsonMembers(text), text).toThrow(SyntaxError);
  });
});
