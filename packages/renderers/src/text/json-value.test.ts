import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "./json-value.js";
import { pythonText, writeJson } from "./write-json.js";

describe("readJson and writeJson", () => {
  it.each([
    ['{"a":1.0,"b":[1,2.5e-7,1e3]}', '{"a": 1.0, "b": [1, 2.5e-07, 1000.0]}'],
    ['{"b":1,"1":2,"a":{}}', '{"b": 1, "1": 2, "a": {}}'],
    ["12345678901234567890", "12345678901234567890"],
    ["[1e16, 123456789.125, 0.0001, 0.00001, -0.0, -0]", "[1e+16, 123456789.125, 0.0001, 1e-05, -0.0, 0]"],
    [' { "a" : [ ] , "b" : "x\\u00e9\\n" } ', '{"a": [], "b": "xé\\n"}'],
    ['{"a": 1, "a": 2}', '{"a": 2}'],
  ])("writes %s as Python does", (text, python) => {
    expect(writeJson(readJson(text))).toBe(python);
  });

  it.each(["", "{", "[1,]", '{"a" 1}', "{'a': 1}", "01", "1 2", "nul", '"\n"', "NaN", "[".repeat(500)])(
    "finds no JSON in %j",
    (text) => {
      expect(readJson(text)).toBeUndefined();
    },
  );

  it("escapes, sorts and packs where it is asked to", () => {
    const options = { asciiOnly: true, compact: true, sortKeys: true };
    expect(writeJson({ é: "\u007f😀", a: undefined, Z: [true, null] }, options)).toBe(
      '{"Z":[true,null],"\\u00e9":"\\u007f\\ud83d\\ude00"}',
    );
  });

  it("writes any value so that JSON.parse gives it back", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(writeJson(readJson(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("shows values as Python's str does", () => {
    expect([true, null, "x", 1.5, [true, "é"]].map(pythonText)).toEqual([
      "True",
      "None",
      "x",
      "1.5",
      '[true, "\\u00e9"]',
    ]);
  });
});
