import { describe, expect, it } from "vitest";
import { isReportingOn } from "./is-reporting-on.js";

describe("telemetry 1: reporting", () => {
  it("is on when nothing is said", () => {
    expect(isReportingOn({ env: {} })).toBe(true);
    expect(isReportingOn({ env: { TINKER_TELEMETRY: undefined } })).toBe(true);
  });

  it.each(["1", "true", "True", "TRUE", "yes", "Yes", "on", "ON"])(
    "is on for TINKER_TELEMETRY=%s",
    (word) => {
      expect(isReportingOn({ env: { TINKER_TELEMETRY: word } })).toBe(true);
    },
  );

  it.each(["0", "false", "no", "off", "", "random", " 1", "1 "])("is off for TINKER_TELEMETRY=%j", (word) => {
    expect(isReportingOn({ env: { TINKER_TELEMETRY: word } })).toBe(false);
  });

  it("is off for DO_NOT_TRACK=1 whatever TINKER_TELEMETRY is, and for no other word of it", () => {
    expect(isReportingOn({ env: { DO_NOT_TRACK: "1", TINKER_TELEMETRY: "1" } })).toBe(false);
    expect(isReportingOn({ env: { DO_NOT_TRACK: "0" } })).toBe(true);
    expect(isReportingOn({ env: { DO_NOT_TRACK: "" } })).toBe(true);
  });

  it("is what the option says, before the environment", () => {
    expect(isReportingOn({ isWanted: true, env: { TINKER_TELEMETRY: "0", DO_NOT_TRACK: "1" } })).toBe(true);
    expect(isReportingOn({ isWanted: false, env: { TINKER_TELEMETRY: "1" } })).toBe(false);
  });
});
