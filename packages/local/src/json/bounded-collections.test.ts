import { describe, expect, it } from "vitest";
import * as z from "zod";
import { isRecord, listOf, MAX_ISSUES, mapOf } from "./bounded-collections.js";

const issuesOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues ?? [];

describe("listOf", () => {
  it("reads every element and gives what its schema makes of it", () => {
    const schema = listOf(z.string().transform((text) => text.length));
    expect(schema.parse(["a", "bcd"])).toEqual([1, 3]);
    expect(schema.parse([])).toEqual([]);
    expect(z.object({ tags: listOf(z.string()).optional() }).parse({})).toEqual({});
  });

  it.each([[undefined], [null], ["ab"], [{ length: 1 }]])("refuses %j", (value) => {
    expect(issuesOf(listOf(z.string()), value)).toMatchObject([
      { code: "invalid_type", expected: "array", path: [] },
    ]);
  });

  it("names the places of faults, and stops when there are enough", () => {
    let calls = 0;
    const counted = z.unknown().refine(() => {
      calls += 1;
      return false;
    });
    const issues = issuesOf(z.object({ rows: listOf(listOf(counted)) }), {
      rows: [[1, 2], new Array(1_000_000).fill(3), [4]],
    });
    expect(issues.slice(0, 3).map(({ path }) => path)).toEqual([
      ["rows", 0, 0],
      ["rows", 0, 1],
      ["rows", 1, 0],
    ]);
    expect(issues.length).toBeLessThanOrEqual(2 * MAX_ISSUES);
    expect(calls).toBeLessThanOrEqual(2 * MAX_ISSUES);
  });

  it("counts before it looks", () => {
    const fails = z.unknown().refine(() => {
      throw new Error("looked");
    });
    expect(issuesOf(listOf(fails, 3), [1, 2, 3, 4])).toMatchObject([
      { message: "must have at most 3 elements, got 4" },
    ]);
  });
});

describe("mapOf", () => {
  it("reads every value, under any name", () => {
    const given = JSON.parse('{"a":1,"__proto__":2,"constructor":3}');
    const read = mapOf(z.number()).parse(given);
    expect(Object.entries(read)).toEqual([
      ["a", 1],
      ["__proto__", 2],
      ["constructor", 3],
    ]);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it.each([[undefined], [null], ["ab"], [[1]]])("refuses %j", (value) => {
    expect(issuesOf(mapOf(z.number()), value)).toMatchObject([{ code: "invalid_type", path: [] }]);
  });

  it("stops when there are faults enough", () => {
    const bad = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, "no"]));
    const issues = issuesOf(mapOf(z.number()), bad);
    expect(issues).toHaveLength(MAX_ISSUES);
    expect(issues[1]).toMatchObject({ code: "invalid_type", path: ["k1"] });
  });
});

describe("isRecord", () => {
  it("is true of objects only", () => {
    expect([{}, Object.create(null)].map(isRecord)).toEqual([true, true]);
    expect([[], null, "x", 1, undefined].map(isRecord)).toEqual([false, false, false, false, false]);
  });
});
