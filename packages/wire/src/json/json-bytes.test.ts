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

it("leaves a long list as well, wherever it holds something else, and makes no room for what may never come", () => {
  const out = new JsonBytes();
  out.text("before");
  const long = Array.from({ length: 10_000 }, (_, index) => index - 5_000);
  for (const at of [0, 4_095, 4_096, 9_999]) expect(out.tryIntegers(long.with(at, 0.5))).toBe(false);
  expect(textOf(out.take())).toBe("before");
  expect(out.tryIntegers(long)).toBe(true);
  expect(textOf(out.take())).toBe(JSON.stringify(long));
  expect(() => jsonBody({ a: new Array(2 ** 31) }, "x")).toThrow("x: a[0]: undefined has no JSON form");
});

it("writes as much of a list as there was at first, though a getter of it adds more", () => {
  const list = [1, 2];
  const more = Array.from({ length: 9_000 }, () => 1_234_567_890);
  Object.defineProperty(list, 0, { get: () => list.push(...more.splice(0)) && 7 });
  expect(JSON.parse(writeJson({ list, end: true }, "x"))).toEqual({ list: [7, 2], end: true });
});

it("writes any JSON value as JSON.stringify does, one after the other", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(textOf(jsonBody(value, "x").body)).toBe(JSON.stringify(value));
    }),
  );
});

it("writes text beyond ASCII, half of a pair and memory beyond what it began with", () => {
  for (const text of [
    "é",
    "\u{1f600}".repeat(9),
    "\ud800",
    "x".repeat(10_000),
    "字".repeat(3_000),
    `${"x".repeat(4_095)}\u{1f600}\ud800`,
  ])
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
