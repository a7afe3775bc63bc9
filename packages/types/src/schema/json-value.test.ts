import { describe, expect, it } from "vitest";
import { checkSent } from "./check-record.js";
import { jsonObjectSchema } from "./json-value.js";

describe("a JSON object", () => {
  it.each<[string, object]>([
    ["nulls inside", { a: null, b: [null, { c: false }] }],
    ["an object without prototype", Object.assign(Object.create(null), { a: 1 })],
    ["a member named __proto__", JSON.parse('{"__proto__":{"a":1}}')],
    ["31 levels", nested(31)],
  ])("may hold %s, and comes back as it is", (_, value) => {
    expect(checkSent(jsonObjectSchema, value, "metadata")).toBe(value);
  });

  const circular: Record<string, unknown> = {};
  circular.list = [circular];

  it.each<[string, unknown, string]>([
    ["a text", "x", "metadata: must be an object"],
    ["a list", [], "metadata: must be an object"],
    ["a date", { a: [new Date(0)] }, "metadata: a[0]: a Date has no JSON form"],
    ["a function", { f: () => 1 }, "metadata: f: a value of type function has no JSON form"],
    ["undefined", { u: undefined }, "metadata: u: a value of type undefined has no JSON form"],
    ["a bigint", { n: 1n }, "metadata: n: a value of type bigint has no JSON form"],
    ["NaN", { n: { m: Number.NaN } }, "metadata: n.m: NaN has no JSON form"],
    ["itself", circular, "is nested deeper than 32 levels, or refers to itself"],
    ["50 000 levels", nested(50_000), "is nested deeper than 32 levels"],
  ])("is not %s", (_, value, message) => {
    expect(() => checkSent(jsonObjectSchema, value, "metadata")).toThrow(message);
  });
});

function nested(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}
