import { describe, expect, it } from "vitest";
import { jsonTextFault, MAX_JSON_DEPTH } from "./json-text-fault.js";

const nested = (levels: number, open = "[", close = "]"): string =>
  open.repeat(levels) + close.repeat(levels);

describe("jsonTextFault", () => {
  it.each([
    ["nothing", "", undefined],
    ["a record", '{"a":[1,2,{"b":"x"}]}', undefined],
    ["lists as deep as may be", nested(MAX_JSON_DEPTH), undefined],
    ["lists one level deeper", nested(MAX_JSON_DEPTH + 1), "more than 64 levels"],
    ["lists in objects", nested(33, '{"a":[', "]}"), "more than 64 levels"],
    ["lists that do not end", "[".repeat(200_000), "more than 64 levels"],
    ["brackets within a string", JSON.stringify("[".repeat(1000)), undefined],
    ["escaped quotation marks", JSON.stringify({ 'a"[[': `\\"${"[".repeat(100)}\\` }), undefined],
    ["brackets after a string that ends in a backslash", `"\\\\"${"[".repeat(100)}`, "more than 64 levels"],
    ["a string that does not end", '"no end', undefined],
  ])("reads %s", (_, text, fault) => {
    expect(jsonTextFault(text)).toBe(fault);
  });

  it("refuses text that becomes many times as large, and takes what merely is large", () => {
    const megabytes = (unit: string, count: number): string =>
      `[${unit.repeat((count * 2 ** 20) / unit.length)}0]`;
    for (const unit of ["{},", "[],", '{"a":{}},', "[[]],"]) {
      expect(jsonTextFault(megabytes(unit, 8)), unit).toMatch(/would take more than \d+ bytes of memory/);
      expect(jsonTextFault(megabytes(unit, 1)), unit).toBeUndefined();
    }
    for (const unit of ["1,", "-0.12345678,", '"tokens",', "[12345,-1.2345],", '{"id":"0123456789"},']) {
      expect(jsonTextFault(megabytes(unit, 16)), unit).toBeUndefined();
    }
  });

  it("looks at each character a bounded number of times, whatever the text", () => {
    for (const unit of ["[", '"', "\\", '\\"', '"\\', "{:,"]) {
      const text = `"${unit.repeat(20_000 / unit.length)}`;
      let looks = 0;
      const counted = {
        length: text.length,
        charCodeAt: (index: number) => {
          looks += 1;
          return text.charCodeAt(index);
        },
        indexOf: (wanted: string, start: number) => {
          const found = text.indexOf(wanted, start);
          looks += (found === -1 ? text.length : found) - start + 1;
          return found;
        },
      };
      // Of a string the function reads nothing else.
      jsonTextFault(counted as unknown as string);
      expect(looks, unit).toBeGreaterThan(text.length / 2);
      expect(looks, unit).toBeLessThan(4 * text.length);
    }
  });
});
