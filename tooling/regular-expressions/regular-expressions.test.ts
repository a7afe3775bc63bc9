import { describe, expect, it } from "vitest";
import { DYNAMIC_PATTERNS } from "./dynamic-patterns.js";
import { findShippedPatterns } from "./find-patterns.js";
import { findSlowInput } from "./find-slow-input.js";
import { hostileInputs } from "./hostile-inputs.js";
import { judgePattern } from "./judge-pattern.js";

const { patterns, dynamic } = findShippedPatterns();

it("finds the regular expressions of every package and app", () => {
  const packages = new Set(patterns.map(({ place }) => place.split("/").slice(0, 2).join("/")));
  expect([...packages].sort()).toEqual([
    "apps/examples",
    "packages/client",
    "packages/http",
    "packages/local",
    "packages/renderers",
    "packages/tensor",
    "packages/tokenizer",
    "packages/types",
    "packages/wire",
  ]);
});

it("makes regular expressions of text only in places that are listed with a reason", () => {
  const listed = DYNAMIC_PATTERNS.map(({ file, text }) => ({ file, text }));
  expect(dynamic).toEqual(listed);
});

describe.each(patterns)("$place /$source/$flags", ({ source, flags }) => {
  const pattern = new RegExp(source, flags);

  it("is linear in the worst case, as a foreign judge reads it", () => {
    expect(judgePattern(source, flags)).toBe("linear");
  });

  it("takes at most twice as long for hostile text twice as long", () => {
    expect(findSlowInput(pattern, hostileInputs(pattern))).toBeUndefined();
  });
});
