import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOfRun, strip, stripEnd, stripStart } from "./strip-text.js";

describe("strip", () => {
  it("removes what Python's str.strip removes, and no byte order mark", () => {
    expect(strip("\u3000\x1c\x85 x\ufeff\u00a0\n")).toBe("x\ufeff");
    expect(stripStart("\t x ")).toBe("x ");
    expect(stripEnd("\t x ")).toBe("\t x");
    expect(strip(" \n ")).toBe("");
  });

  it("removes the characters it is given, and no others", () => {
    expect([strip("\n\n x \n", "\n"), stripStart("\n x", "\n"), stripEnd("x\n \n", "\n")]).toEqual([
      " x ",
      " x",
      "x\n ",
    ]);
  });

  it("does what the patterns do that look for a run at each place", () => {
    const text = fc.string({ unit: fc.constantFrom("\n", " ", "x", "\u2028", "\ufeff"), maxLength: 12 });
    fc.assert(
      fc.property(text, (given) => {
        expect(stripEnd(given, "\n")).toBe(given.replace(/\n+$/, ""));
        expect(stripStart(given, "\n")).toBe(given.replace(/^\n+/, ""));
        expect(endOfRun(given, 0)).toBe(given.length - stripStart(given).length);
      }),
    );
  });
});
