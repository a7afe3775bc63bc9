import fc from "fast-check";
import { expect, it } from "vitest";
import { JsonBytes } from "./json-bytes.js";
import { jsonBody, writeJson } from "./write-json.js";

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

it("writes lists of 32-bit integers as JSON.stringify does", () => {
  const out = new JsonBytes();
  const bounds = [0, -0, 9, 10, -1, 99, 100, 999, 1_000, 2 ** 31 - 1, -(2 ** 31)];
  const powers = Array.from({ length: 31 }, (_, bit) => [2 ** bit - 1, -(2 ** bit)]).flat();
  for (const list of [[], [7], bounds, powers]) {
    expect(out.tryIntegers(list)).toBe(true);
    expect(textOf(out.take())).toBe(JSON.stringify(list));
  }
  fc.assert(
    fc.property(fc.array(fc.integer()), (list) => {
      expect(out.tryIntegers(Int32Array.from(list))).toBe(true);
      expect(textOf(out.take())).toBe(JSON.stringify(list));
    }),
  );
});

it("leaves a list with anything else as if it had not been asked", () => {
  const out = new JsonBytes();
  out.text("before");
  for (const other of [1.5, 2 ** 31, Number.NaN, "1", null, undefined, 1n])
    expect(out.tryIntegers([1, other])).toBe(false);
  expect(textOf(out.take())).toBe("before");
});

it("writes any JSON value as JSON.stringify does, one after the other", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(textOf(jsonBody(value, "x").body)).toBe(JSON.stringify(value));
    }),
  );
});

it("writes text beyond ASCII, half of a pair and memory beyond what it began with", () => {
  for (const text of ["é", "\u{1f600}".repeat(9), "\ud800", "x".repeat(10_000), "字".repeat(3_000)])
    expect(writeJson({ [text]: text }, "x")).toBe(JSON.stringify({ [text]: text }));
});

it("gives bodies that later ones do not change", () => {
  const first = jsonBody([1, 2, 3], "x").body;
  jsonBody([4, 5, 6], "x");
  expect(textOf(first)).toBe("[1,2,3]");
  expect(first.buffer.byteLength).toBe(first.byteLength);
});

it("begins anew after a value that has no JSON form, and within a getter", () => {
  expect(() => jsonBody({ a: [1, Number.NaN] }, "x")).toThrow("x: a[1]: NaN has no JSON form");
  const inner = {
    get a() {
      return writeJson([1.5, "b"], "inner");
    },
  };
  expect(textOf(jsonBody([inner], "x").body)).toBe('[{"a":"[1.5,\\"b\\"]"}]');
});
