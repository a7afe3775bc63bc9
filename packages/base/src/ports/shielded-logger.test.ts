import { failOnUnhandledErrors } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { silentLogger } from "./logger.js";
import { shieldedLogger } from "./shielded-logger.js";

it("a logger that is silent stays so, and one with a receiver keeps it", () => {
  expect(shieldedLogger(silentLogger)).toEqual(silentLogger);
  class Kept {
    readonly lines: string[] = [];
    debug(line: string): void {
      this.lines.push(line);
    }
    info(line: string): void {
      this.lines.push(line);
    }
    warn(line: string): void {
      this.lines.push(line);
    }
    error(line: string): void {
      this.lines.push(line);
    }
  }
  const kept = new Kept();
  shieldedLogger(kept).warn("one");
  expect(kept.lines).toEqual(["one"]);
});

it.each([
  [
    "throws",
    () => {
      throw new Error("disk full");
    },
  ],
  ["rejects", async () => Promise.reject(new Error("disk full"))],
])("a line that a logger %s at is lost, and nobody hears of it", async (_, line) => {
  failOnUnhandledErrors();
  const shielded = shieldedLogger({ debug: line, info: line, warn: line, error: line });
  for (const level of ["debug", "info", "warn", "error"] as const)
    expect(shielded[level]("one")).toBeUndefined();
  await new Promise(setImmediate);
});
