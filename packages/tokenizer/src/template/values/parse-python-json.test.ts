import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { compileTemplate } from "../compile-template.js";
import { PLAIN_STRINGS } from "./from-json.js";
import { parsePythonJson } from "./parse-python-json.js";
import { PythonFloat } from "./python-float.js";
import { plain } from "./text.js";

const render = (source: string, x: unknown): string =>
  plain(compileTemplate(source).render({ own: {}, peoples: { x } }, PLAIN_STRINGS));

describe("JSON text in a chat template", () => {
  it.each([
    // Each result is that of `json.loads` of Python 3.11, printed by jinja2 3.1.6.
    ['{"b": 1, "10": 2, "2": [3]}', "{'b': 1, '10': 2, '2': [3]}"],
    ['{"10": {"x": {"2": 1, "1": 2}}, "a": 1, "10": 5, "2": 0}', "{'10': 5, 'a': 1, '2': 0}"],
    [
      '{"01": 1, "-1": 2, "1.5": 3, "4294967295": 4, "0": 5}',
      "{'01': 1, '-1': 2, '1.5': 3, '4294967295': 4, '0': 5}",
    ],
    ["[1, 1.0, 1e5, 1E+22, 0.5, 1e-7]", "[1, 1.0, 100000.0, 1e+22, 0.5, 1e-07]"],
    ["[-0, -0.0, 0.0, 1e400, -1e400]", "[0, -0.0, 0.0, inf, -inf]"],
    [
      "[9007199254740993, -123456789012345678901234567890]",
      "[9007199254740993, -123456789012345678901234567890]",
    ],
    ["[NaN, Infinity, -Infinity, null, true]", "[nan, inf, -inf, None, True]"],
    ['{"__proto__": {"a": 1}, "constructor": 2}', "{'__proto__': {'a': 1}, 'constructor': 2}"],
    [' "\\u00e9\\ud83d\\ude00" ', "é😀"],
  ])("prints as in Python: %s", (text, wanted) => {
    expect(render("{{ x }}", parsePythonJson(text))).toBe(wanted);
  });

  it("is what JSON.parse gives of it where that loses nothing", () => {
    const text = '{"a": [1, 0.5, "x", null, true, {"1": 2}], "b": {}, "c": -9007199254740991}';
    expect(parsePythonJson(text)).toStrictEqual(JSON.parse(text));
  });

  it("has other forms only where something would be lost", () => {
    expect(parsePythonJson('{"x": {"b": 1.0, "7": 18446744073709551615}}')).toStrictEqual({
      x: new Map<string, unknown>([
        ["b", new PythonFloat(1)],
        ["7", 18446744073709551615n],
      ]),
    });
  });

  it.each([
    ["{'a': 1}", "parsePythonJson: text must be JSON; at character 1: a string is missing"],
    ["", "parsePythonJson: text must be JSON; at character 0: it ends too early"],
    ["[".repeat(202) + "]".repeat(202), "more than 200 levels"],
    ["1".repeat(4301), "parsePythonJson: an integer must have at most 4300 digits, got 4301"],
    ["undefined", 'unexpected "u"'],
  ])("is refused where Python or a template would: %#", (text, message) => {
    const parse = () => parsePythonJson(text);
    expect(parse).toThrow(ValidationError);
    expect(parse).toThrow(message);
  });
});
