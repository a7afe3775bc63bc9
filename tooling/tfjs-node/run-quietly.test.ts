import { expect, it } from "vitest";
import { runQuietly } from "./run-quietly.mjs";

function messageOf(script: string, limitMs = 20_000): string {
  try {
    runQuietly(process.execPath, ["-e", script], { limitMs });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "it ended well";
}

it("names what failed rather than the warnings before it", () => {
  const lines = [
    "WARNING: Retrying after connection broken by 'NewConnectionError'",
    "npm warn cannot find a lock file",
    "ERROR: No matching distribution found for tensorflow-cpu==2.15.1",
    "and advice",
  ];
  const script = `console.error(${JSON.stringify(lines.join("\n"))}); process.exit(1)`;
  expect(messageOf(script)).toMatch(/: ERROR: No matching distribution found for tensorflow-cpu==2\.15\.1$/);
});

it("lets a program print much, and ends one that takes too long", () => {
  expect(messageOf("process.stdout.write('x'.repeat(3_000_000))")).toBe("it ended well");
  expect(messageOf("setTimeout(() => {}, 60_000)", 500)).toContain("ETIMEDOUT");
});
