import { expect, it } from "vitest";
import { readPythonJson, writePythonJson } from "./python-json.js";

it("writes and reads numbers that are none as Python does, which JSON has no word for", () => {
  const row = {
    step: 3,
    nll: Number.NaN,
    low: -Infinity,
    high: Infinity,
    text: 'NaN "quoted"',
    gone: undefined,
  };
  const text = writePythonJson(row);
  expect(text).toBe(
    '{"step": 3, "nll": NaN, "low": -Infinity, "high": Infinity, "text": "NaN \\"quoted\\""}',
  );
  const { gone, ...kept } = row;
  expect(gone).toBeUndefined();
  expect(readPythonJson(text)).toEqual(kept);
});

it("writes what JSON.parse reads back, on one line or indented", () => {
  const value = { a: [1, 2.5e-7, "e\n\t"], b: { c: null, d: [], e: {} }, f: true };
  for (const indent of [0, 2]) {
    expect(JSON.parse(writePythonJson(value, indent))).toEqual(value);
  }
  expect(writePythonJson(value, 2)).toBe(JSON.stringify(value, undefined, 2));
});

it("names the place of a value that JSON cannot hold", () => {
  expect(() => writePythonJson({ a: [1, { b: () => 1 }] }, 0, "config")).toThrow(
    "config.a[1].b must be a value of JSON, got a function",
  );
  const loop: unknown[] = [];
  loop.push(loop);
  expect(() => writePythonJson(loop)).toThrow("must not nest deeper than");
});

it("passes over a byte order mark, which some editors write, before NaN too", () => {
  expect(readPythonJson('\uFEFF{"a": 1}')).toEqual({ a: 1 });
  expect(readPythonJson('\uFEFF{"a": NaN}')).toEqual({ a: Number.NaN });
  expect(() => readPythonJson('{"a": \uFEFF1}')).toThrow();
});

it("refuses what is no JSON", () => {
  for (const text of ["{", "{'a': 1}", "nan", "[1,]"]) expect(() => readPythonJson(text)).toThrow();
});

it("escapes what Python takes for the end of a line, and all else beyond ASCII", () => {
  const text = "a\u2028b\u0085c\u001cd é 😀";
  const written = writePythonJson({ [text]: text });
  expect(written).toMatch(/^[\x20-\x7e]*$/);
  expect(JSON.parse(written)).toEqual({ [text]: text });
});
