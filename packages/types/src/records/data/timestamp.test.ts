import { describe, expect, it } from "vitest";
import { checkReceived } from "../../schema/check-record.js";
import { Timestamp, timestampSchema } from "./timestamp.js";

describe("Timestamp", () => {
  it.each([
    ["2025-11-03T10:00:00Z", "2025-11-03T10:00:00.000Z"],
    ["2025-11-03T10:00:00+02:00", "2025-11-03T08:00:00.000Z"],
    ["2025-11-03T10:00:00", "2025-11-03T10:00:00.000Z"],
    ["2025-11-03 10:00:00.5Z", "2025-11-03T10:00:00.500Z"],
    ["2025-11-03T10:00:00.123456789Z", "2025-11-03T10:00:00.123Z"],
    ["2025-11-03T10:00:00.1-0330", "2025-11-03T13:30:00.100Z"],
    ["2025-11-03", "2025-11-03T00:00:00.000Z"],
  ])("wire-types 32: %s is %s", (text, expected) => {
    expect(Timestamp.toDate(text).toISOString()).toBe(expected);
    expect(checkReceived(timestampSchema, text, "time")).toBe(text);
  });

  it("reads Unix seconds and milliseconds", () => {
    expect(checkReceived(timestampSchema, 1_700_000_000, "time")).toBe("2023-11-14T22:13:20.000Z");
    expect(checkReceived(timestampSchema, 1_700_000_000_000, "time")).toBe("2023-11-14T22:13:20.000Z");
  });

  it.each([1e300, -1e18, Number.NaN, Number.POSITIVE_INFINITY])("refuses the number %d", (time) => {
    expect(() => checkReceived(timestampSchema, time, "time")).toThrow("time: ");
  });

  it.each(["yesterday", "Mon, 03 Nov 2025 10:00:00 GMT", "2025-13-40T00:00:00Z", ""])(
    "refuses %j",
    (text) => {
      expect(() => Timestamp.toDate(text)).toThrow("is not a timestamp");
      expect(() => checkReceived(timestampSchema, text, "time")).toThrow("must be a timestamp");
    },
  );
});
