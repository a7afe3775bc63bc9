import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findBlocks } from "./find-blocks.js";

const KINDS = [
  { open: "<a>", close: "</a>" },
  { open: "<b>", close: "</b>" },
];
const found = (text: string) =>
  Array.from(findBlocks(text, KINDS), ({ inner, start, end }) => [text.slice(start, end), inner]);

describe("findBlocks", () => {
  it("finds blocks of each kind, in order", () => {
    expect(found("x<b>1</b><a>2</a>y<b></b>")).toEqual([
      ["<b>1</b>", "1"],
      ["<a>2</a>", "2"],
      ["<b></b>", ""],
    ]);
  });

  it("takes what stands in a block for its text, and a tag that is never closed for none", () => {
    expect(found("<a><b>1</b><a></a></b><b>2<a>3</a>")).toEqual([
      ["<a><b>1</b><a></a>", "<b>1</b><a>"],
      ["<a>3</a>", "3"],
    ]);
  });

  it("finds what the pattern finds that is quadratic", () => {
    const pattern = /<a>([\s\S]*?)<\/a>|<b>([\s\S]*?)<\/b>/g;
    const text = fc.array(fc.constantFrom("<a>", "</a>", "<b>", "</b>", "x"), { maxLength: 12 });
    fc.assert(
      fc.property(text, (parts) => {
        const whole = parts.join("");
        expect(found(whole)).toEqual(Array.from(whole.matchAll(pattern), ([block, a, b]) => [block, a ?? b]));
      }),
      { numRuns: 500 },
    );
  });
});
