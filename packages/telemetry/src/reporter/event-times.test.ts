import { describe, expect, it } from "vitest";
import { durationText, eventTimestamp } from "./event-times.js";

describe("times", () => {
  it("telemetry 9: have six digits of a second and a Z", () => {
    expect(eventTimestamp(Date.UTC(2026, 7, 1, 12) + 123.456)).toBe("2026-08-01T12:00:00.123456Z");
    expect(eventTimestamp(0)).toBe("1970-01-01T00:00:00.000000Z");
  });

  it.each([
    [270.819, "0:00:00.270819"],
    [1_000, "0:00:01"],
    [3_723_004.5, "1:02:03.004500"],
    [86_403_000, "1 day, 0:00:03"],
    [180_000_000, "2 days, 2:00:00"],
  ])("telemetry 9: %f ms are %s", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});
