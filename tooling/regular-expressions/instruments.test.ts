import { describe, expect, it } from "vitest";
import { findPatterns } from "./find-patterns.js";
import { findSlowInput } from "./find-slow-input.js";
import { hostileInputs } from "./hostile-inputs.js";
import { judgePattern } from "./judge-pattern.js";

/** Patterns that blocked the event loop of a release, and the kin of each. */
const SLOW = [
  /\n+$/,
  /\s*abc/,
  /^\s+|\s+$/g,
  /<think>([\s\S]*?)<\/think>/g,
  /<k>([\s\S]*?)<\/k><v>([\s\S]*?)<\/v>/y,
  /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i,
  /^(a+)+$/,
  /^a*a*$/,
  /\/+$/,
];

const LINEAR = [
  /\s*abc/y,
  /^\s+/,
  /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i,
  /:.*$/s,
  /\r\n|\r|\n/g,
  /[^\x20-\x7e]/,
  /\p{Surrogate}/gu,
  /^(.*?)(?::(\d+))?$/,
];

describe("judgePattern", () => {
  it.each(SLOW)("does not call %s linear", ({ source, flags }) => {
    expect(judgePattern(source, flags)).not.toBe("linear");
  });

  it.each(LINEAR)("calls %s linear", ({ source, flags }) => {
    expect(judgePattern(source, flags)).toBe("linear");
  });
});

describe("findSlowInput", () => {
  it.each(SLOW)("finds a text on which %s is slow", (pattern) => {
    expect(findSlowInput(pattern, hostileInputs(pattern))).toBeDefined();
  });

  it.each([...LINEAR, /(?<!\n)\n+$/])("finds none for %s", (pattern) => {
    expect(findSlowInput(pattern, hostileInputs(pattern))).toBeUndefined();
  });
});

describe("findPatterns", () => {
  it("finds literals wherever they stand, and not what only looks like one", () => {
    const code = 'const a = b / c / d; // /no/\nf(/x\\/[/]+/gi, "/no/", y.replace(/z/, ""));';
    expect(findPatterns("a.ts", code).patterns).toEqual([
      { place: "a.ts:2", source: "x\\/[/]+", flags: "gi" },
      { place: "a.ts:2", source: "z", flags: "" },
    ]);
  });

  it("reads a pattern that is made of a string that is written out", () => {
    expect(findPatterns("a.ts", 'new RegExp("a+$", "g"); RegExp(`b`)').patterns).toEqual([
      { place: "a.ts:1", source: "a+$", flags: "g" },
      { place: "a.ts:1", source: "b", flags: "" },
    ]);
  });

  it.each([
    "new RegExp(a)",
    `RegExp(\`\${a}+\`)`,
    "new globalThis.RegExp(a)",
    `text.search(\`\${a}\`)`,
    'new RegExp("a", flags)',
  ])("tells of %s, which is known only at run time", (text) => {
    expect(findPatterns("a.ts", text).dynamic).toEqual([{ file: "a.ts", text }]);
  });

  it("takes what a method of strings makes of a written string for a pattern", () => {
    expect(findPatterns("a.ts", 'text.match("a+$")').patterns).toMatchObject([{ source: "a+$" }]);
  });
});
