import { describe, expect, it } from "vitest";
import { isAtLeast } from "./versions.mjs";

describe("isAtLeast", () => {
  it.each([
    ["20.19.0", "20.19.0", true],
    ["20.18.9", "20.19.0", false],
    ["20.20.0", "20.19.5", true],
    ["22.0.0", "20.19.0", true],
    ["9.99.99", "20.0.0", false],
  ])("%s against %s", (version, floor, expected) => expect(isAtLeast(version, floor)).toBe(expected));
});
