import { FakeClock } from "@tinkex/base/testing";
import { expect, it } from "vitest";
import { consoleLogger } from "./console-logger.js";
import { RetryWarnings } from "./retry-warnings.js";
import type { RetryEvent } from "./transport-hooks.js";

function listen() {
  const lines: string[] = [];
  const told: RetryEvent[] = [];
  const clock = new FakeClock({ startMs: Date.UTC(2026, 0, 1) });
  const warnings = new RetryWarnings({
    baseUrl: "http://s",
    hooks: { onRetry: (event) => told.push(event) },
    logger: consoleLogger("debug", (line) => lines.push(line.replace("tinkex ", ""))),
    clock,
  });
  const tell = (operation: RetryEvent["operation"], delayMs = 500): void =>
    warnings.tell({ operation, attempts: 1, outcome: "ECONNRESET", delayMs }, undefined);
  return { lines, told, clock, tell };
}

it("of a thousand repeats of one operation within a minute one is told at info, and all at debug and to the hook", async () => {
  const { lines, told, clock, tell } = listen();
  for (let count = 0; count < 1_000; count++) tell("asample");
  const above = (): string[] => lines.filter((line) => !line.startsWith("debug"));
  expect(above()).toEqual(["info: asample at http://s: ECONNRESET; try 2 in 0.5 s"]);
  expect(lines).toHaveLength(1_000);
  expect(told).toHaveLength(1_000);
  await clock.advance(60_000);
  tell("asample");
  expect(above()).toHaveLength(2);
});

it("each operation has a line of its own", () => {
  const { lines, tell } = listen();
  for (let count = 0; count < 5; count++) for (const name of ["asample", "optim_step"] as const) tell(name);
  expect(lines.filter((line) => line.startsWith("info"))).toEqual([
    "info: asample at http://s: ECONNRESET; try 2 in 0.5 s",
    "info: optim_step at http://s: ECONNRESET; try 2 in 0.5 s",
  ]);
});

it("long pauses are warned of twice a minute, and the others of them count as short ones do", () => {
  const { lines, tell } = listen();
  for (let count = 0; count < 50; count++) tell("asample", 10_000);
  const levels = lines.map((line) => line.slice(0, line.indexOf(":")));
  expect(levels).toEqual(["warn", "info", ...Array<string>(48).fill("debug")]);
});
