import { describe, expect, it } from "vitest";
import { strip, stripEnd, stripStart } from "./strip-text.js";

describe("strip", () => {
  it("removes what Python's str.strip removes, and no byte order mark", () => {
    expect(strip("\u3000\x1c\x85 x\ufeff\u00a0\n")).toBe("x\ufeff");
    expect(stripStart("\t x ")).toBe("x ");
    expect(stripEnd("\t x ")).toBe("\t x");
    expect(strip(" \n ")).toBe("");
  });
});
