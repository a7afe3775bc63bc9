import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRetryHint } from "./retry-hint.js";

const now = Date.UTC(2023, 8, 29, 16, 26, 37);
const seconds = (headers: Record<string, string>): number | undefined => {
  const hint = parseRetryHint(headers, now);
  return hint === undefined ? undefined : hint.delayMs / 1000;
};

describe("parseRetryHint", () => {
  it.each([
    ["20", 20],
    ["60.0", 60],
    ["0.001", 0.001],
    ["1e1", 10],
    [" 20 ", 20],
    ["61", 60],
    ["60.0001", 60],
    ["inf", 60],
    ["Fri, 29 Sep 2023 16:26:57 GMT", 20],
    ["Mon, 29 Sep 2023 16:26:57 GMT", 20],
    ["Friday, 29-Sep-23 16:26:57 GMT", 20],
    ["Fri Sep 29 16:26:57 2023", 20],
    ["Fri, 29 Sep 2023 18:26:57 +0200", 20],
    ["Fri, 29 Sep 2023 16:27:37 GMT", 60],
    ["Fri, 29 Sep 2023 16:27:38 GMT", 60],
  ])("transport 9: retry-after %j is %d s", (value, wanted) => {
    expect(seconds({ "retry-after": value })).toBe(wanted);
  });

  it.each([
    "0",
    "-10",
    "nan",
    "",
    "abc",
    "10, 20",
    "0x10",
    "2023-09-29T16:26:57Z",
    "Fri, 29 Sep 2023 16:26:37 GMT",
    "Fri, 29 Sep 2023 16:26:00 GMT",
    "Fri, 29 Foo 2023 16:26:57 GMT",
  ])("transport 9: retry-after %j is no hint", (value) => {
    expect(seconds({ "retry-after": value })).toBeUndefined();
  });

  it("transport 10: retry-after-ms is the only one looked at if it is a number", () => {
    expect(seconds({ "retry-after-ms": "0", "retry-after": "5" })).toBeUndefined();
    expect(seconds({ "retry-after-ms": "abc", "retry-after": "5" })).toBe(5);
    expect(seconds({ "retry-after-ms": "70000", "retry-after": "5" })).toBe(60);
    expect(seconds({ "retry-after-ms": "1500" })).toBe(1.5);
  });

  it("BR-001: says what was asked for where that was more than a minute", () => {
    expect(parseRetryHint({ "retry-after": "600" }, now)).toEqual({ delayMs: 60_000, askedMs: 600_000 });
  });

  it("never throws, and never asks for more than a minute, whatever the header", () => {
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string(), { nil: "" }), (after, ms) => {
        const hint = parseRetryHint({ "retry-after": after, "retry-after-ms": ms }, now);
        return hint === undefined || (hint.delayMs > 0 && hint.delayMs <= 60_000);
      }),
    );
  });

  it("takes time in proportion to the length of what is no number", () => {
    for (const write of [
      (length: number) => `${"1".repeat(length)}x`,
      (length: number) => `1.${"1".repeat(length)}x`,
      (length: number) => `${" ".repeat(length)}x`,
      (length: number) => `1e${"1".repeat(length)}x`,
      (length: number) => `${"a".repeat(length)}, 1`,
    ]) {
      const time = (length: number): number => {
        const headers = { "retry-after-ms": write(length), "retry-after": write(length) };
        const startedAt = performance.now();
        parseRetryHint(headers, 0);
        return performance.now() - startedAt;
      };
      time(10_000);
      // A quadratic way takes minutes for the longer one.
      expect(time(200_000)).toBeLessThan(40 * time(20_000) + 300);
    }
  });
});
