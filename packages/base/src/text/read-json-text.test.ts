import { describe, expect, it } from "vitest";
import { type JsonParts, readJsonText } from "./read-json-text.js";

type Shown = string | readonly Shown[] | { readonly members: readonly (readonly [string, Shown])[] };

/** Shows each part as it was written. */
const SHOWN: JsonParts<Shown> = {
  string: (text) => JSON.stringify(text),
  number: (spelling, isInteger) => `${spelling} ${isInteger ? "integer" : "float"}`,
  array: (items) => items,
  object: (members) => ({ members: [...members] }),
  words: new Map([
    ["true", "yes"],
    ["-Infinity", "least"],
  ]),
  maxDepth: 3,
  fault: (reason, position) => new SyntaxError(`${reason} at ${position}`),
};

const PARSED: JsonParts<unknown> = {
  string: (text) => text,
  number: Number,
  array: (items) => items,
  object: (members) => Object.fromEntries(members),
  words: new Map<string, unknown>([
    ["true", true],
    ["false", false],
    ["null", null],
  ]),
  maxDepth: 1000,
  fault: SHOWN.fault,
};

describe("readJsonText", () => {
  it("gives the spelling of numbers and the order of members", () => {
    expect(readJsonText(' { "b" : 1 , "10":[1.0,-0,1e3],"2":true, "b": -Infinity } ', SHOWN)).toEqual({
      members: [
        ["b", "least"],
        ["10", ["1.0 float", "-0 integer", "1e3 float"]],
        ["2", "yes"],
      ],
    });
  });

  it.each([
    ["", "it ends too early at 0"],
    ["[1,]", 'unexpected "]" at 3'],
    ['{"a" 1}', '":" is missing at 5'],
    ["{'a': 1}", "a string is missing at 1"],
    ["01", "something follows its end at 1"],
    ["[1 2]", '"," or "]" is missing at 3'],
    ["null", 'unexpected "n" at 0'],
    ['["\n"]', "a string with a bad escape or a control character at 1"],
    ['["a\\"]', "a string that does not end at 1"],
  ])("names the fault of %j and its place", (text, message) => {
    expect(() => readJsonText(text, SHOWN)).toThrow(message);
  });

  it("refuses text of more levels than it may have", () => {
    expect(readJsonText("[[[1]]]", SHOWN)).toEqual([[["1 integer"]]]);
    expect(() => readJsonText("[[[[1]]]]", SHOWN)).toThrow("more than 3 levels at 4");
  });

  // Random texts are tried in packages/wire/src/json/parse-exact-json.test.ts, whose parser is made of this one.
  it("takes and refuses what JSON.parse does, whatever stands in place of one character", () => {
    const text = ' {"a\\n": [1.5e+3, -0, true ,"\\u00e9\\\\"], "": {"b": null}}\t';
    let taken = 0;
    for (let at = 0; at <= text.length; at += 1) {
      for (const put of [
        "",
        "0",
        "1",
        "-",
        "+",
        ".",
        "e",
        ",",
        ":",
        '"',
        "\\",
        "[",
        "]",
        "{",
        "}",
        " ",
        "\n",
        "n",
        "é",
      ]) {
        const changed = text.slice(0, at) + put + text.slice(at + 1);
        let expected: unknown;
        try {
          expected = JSON.parse(changed);
        } catch {
          expect(() => readJsonText(changed, PARSED), changed).toThrow(SyntaxError);
          continue;
        }
        taken += 1;
        expect(readJsonText(changed, PARSED), changed).toEqual(expected);
      }
    }
    expect(taken).toBeGreaterThan(100);
  });

  it("keeps a member named __proto__ one of the object", () => {
    const read = readJsonText('{"__proto__": {"isAdmin": true}}', PARSED);
    expect(Object.keys(Object(read))).toEqual(["__proto__"]);
    expect(Object(read).isAdmin).toBeUndefined();
  });
});
