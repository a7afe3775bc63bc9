import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DecodeError } from "../decode-error.js";
import { parseJson } from "./decode-json.js";
import { parseExactJson } from "./parse-exact-json.js";

/** Long integers as the doubles that JSON.parse gives. */
function inexact(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(inexact);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inexact(member)]));
}

const parse = (text: string) => parseExactJson(text, "Test");
const encoder = new TextEncoder();

describe("the exact JSON parser", () => {
  it("agrees with JSON.parse on all JSON", () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 0, max: 2 }), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent);
        expect(inexact(parse(spaced))).toEqual(JSON.parse(spaced));
      }),
    );
  });

  it("refuses what JSON.parse refuses, but for the words NaN and Infinity", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (text, place, noise) => {
        const at = place % (text.length + 1);
        const mutated = text.slice(0, at) + noise + text.slice(at + 1);
        let expected: unknown;
        try {
          expected = JSON.parse(mutated);
        } catch {
          if (/NaN|Infinity/.test(mutated)) return;
          expect(() => parse(mutated)).toThrow(DecodeError);
          return;
        }
        expect(inexact(parse(mutated))).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it("wire-types 25: integers beyond 2^53 become bigints", () => {
    expect(parse("[9007199254740993,-9007199254740993,9007199254740991]")).toEqual([
      9007199254740993n,
      -9007199254740993n,
      9007199254740991,
    ]);
    expect(parse("1e300")).toBe(1e300);
  });

  it("wire-types 37: bare NaN and infinities", () => {
    expect(parseJson(encoder.encode('{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN"}'), "Test")).toEqual({
      a: Number.NaN,
      b: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
      c: "NaN",
    });
  });

  it("gives an integer of more digits than any number has as a double, and in no time", () => {
    for (const digits of [401, 1_000_000, 30_000_000]) {
      expect(parseJson(encoder.encode(`[${"9".repeat(digits)}]`), "Test")).toEqual([
        Number.POSITIVE_INFINITY,
      ]);
    }
    expect(parse("9".repeat(400))).toBe(10n ** 400n - 1n);
  });

  it("passes over any amount of blanks", () => {
    const blanks = " \n".repeat(15_000_000);
    expect(parse(`${blanks}[NaN,${blanks}1]${blanks}`)).toEqual([Number.NaN, 1]);
  });

  it("refuses deep nesting, whichever parser reads it", () => {
    const nested = (levels: number, inner: string) =>
      encoder.encode(`${"[".repeat(levels)}${inner}${"]".repeat(levels)}`);
    for (const inner of ["1", "9007199254740993", '{"a":{}}']) {
      expect(() => parseJson(nested(60, inner), "Test")).not.toThrow();
      for (const levels of [70, 100_000]) {
        expect(() => parseJson(nested(levels, inner), "Test")).toThrow("Test");
        expect(() => parseJson(nested(levels, inner), "Test")).toThrow("more than 64 levels");
      }
    }
  });

  it("does not run out of stack on deep nesting", () => {
    expect(() => parse("[".repeat(100_000))).toThrow("more than 64 levels");
  });

  it("keeps a member named __proto__ an own member", () => {
    const parsed = parse('{"__proto__":{"polluted":true}}') as object;
    expect(Object.keys(parsed)).toEqual(["__proto__"]);
    expect("polluted" in parsed).toBe(false);
  });

  it("reads texts of many megabytes, with escapes", () => {
    const long = `${'\\"'.repeat(1_000_000)}é`;
    expect(parse(`"${long}"`)).toHaveLength(1_000_001);
  });

  it("counts bytes, not characters, in the place of a fault", () => {
    expect(() => parse('{"é":x}')).toThrow("at byte 6");
  });
});
