import { describe, expect, it } from "vitest";
import { DYNAMIC_PATTERNS } from "./dynamic-patterns.js";
import { findShippedPatterns } from "./find-patterns.js";
import { findSlowInput } from "./find-slow-input.js";
import { hostileInputs } from "./hostile-inputs.js";
import { judgePattern } from "./judge-pattern.js";

const { patterns, dynamic } = findShippedPatterns();

it("finds the regular expressions of packages and apps", () => {
  const folders = new Set(patterns.map(({ place }) => place.split("/").slice(0, 2).join("/")));
  const found = ["client", "http", "local", "renderers", "tensor", "tokenizer", "types", "wire"];
  expect([...folders]).toEqual(
    expect.arrayContaining(["apps/examples", ...found.map((name) => `packages/${name}`)]),
  );
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
