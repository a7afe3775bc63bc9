import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { TAR_END, tarHeader } from "./tar-header.js";

it.each([
  [Date.UTC(2026, 10, 29, 12), "2026-11-29 12:00"],
  [0, "1970-01-01 00:00"],
  [-1_000, "1970-01-01 00:00"],
  [Date.UTC(1901, 0, 1), "1970-01-01 00:00"],
  [Date.UTC(2242, 2, 16, 12), "2242-03-16 12:00"],
  [Date.UTC(2300, 0, 1), "2242-03-16 12:56"],
])(
  "a file dated %d ms after 1970 is listed by tar, at the nearest time that a header holds",
  (modifiedMs, listed) => {
    const archive = Buffer.concat([tarHeader({ name: "adapter.bin", size: 0, modifiedMs }), TAR_END]);
    const list = execFileSync("tar", ["-tvf", "-"], { input: archive, env: { ...process.env, TZ: "UTC" } });
    expect(String(list)).toContain(`${listed} adapter.bin`);
  },
);

it("refuses a name and a size that a header does not hold", () => {
  expect(() => tarHeader({ name: "x".repeat(101), size: 0, modifiedMs: 0 })).toThrow("at most 100 bytes");
  expect(() => tarHeader({ name: "x", size: 8 ** 11, modifiedMs: 0 })).toThrow("at most 8589934591 bytes");
});
