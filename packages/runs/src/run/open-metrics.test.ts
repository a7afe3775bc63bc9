import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RecordingLogger } from "@tinkex/base/testing";
import { CANARY_KEY } from "@tinkex-tooling/canary";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { openMetrics } from "./open-metrics.js";

const lines = (directory: string): string => readFileSync(join(directory, "metrics.jsonl"), "utf8");

it("appends to what is there, whatever checkpoints say, and takes away a line that was cut off", async () => {
  const directory = join(temporaryDirectory(), "made", "here");
  const first = await openMetrics(directory);
  await Promise.all([first.writeMetrics(0, { nll: 2 }), first.writeMetrics(1, { nll: Number.NaN })]);
  appendFileSync(join(directory, "metrics.jsonl"), '{"step": 2, "n');
  const logger = new RecordingLogger();
  const second = await openMetrics(directory, { logger });
  await second.writeMetrics(2, { nll: 0.5 });
  expect(lines(directory)).toBe('{"step": 0, "nll": 2}\n{"step": 1, "nll": NaN}\n{"step": 2, "nll": 0.5}\n');
  expect(logger.lines).toEqual([expect.stringContaining("the last line was cut off")]);
});

it("writes the configuration without secrets, and leaves another program's alone where it has none", async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "config.json"), "{}");
  await openMetrics(directory);
  expect(readFileSync(join(directory, "config.json"), "utf8")).toBe("{}");
  await openMetrics(directory, {
    config: { learning_rate: 0.001, api_key: CANARY_KEY, note: `uses ${CANARY_KEY}` },
  });
  const config = readFileSync(join(directory, "config.json"), "utf8");
  expect(JSON.parse(config)).toMatchObject({ learning_rate: 0.001, api_key: "[hidden]" });
  expect(config).not.toContain(CANARY_KEY);
});

it.each([
  [1, {}, "openMetrics: directory must be a string"],
  ["x", { config: [] }, "openMetrics: config must be an object"],
  ["x", { configuration: {} }, 'the options of openMetrics: unknown field "configuration"'],
])("refuses %j %j", async (directory, options, message) => {
  await expect(openMetrics(directory as never, options as never)).rejects.toThrow(message);
});

it("refuses a file of metrics that another program wrote otherwise, and leaves it as it is", async () => {
  const directory = temporaryDirectory();
  const text = '[{"step": 0}, {"step": 1}]';
  writeFileSync(join(directory, "metrics.jsonl"), text);
  await expect(openMetrics(directory)).rejects.toThrow(
    `openMetrics: directory must hold JSON lines, each an object, and the last line of ${join(directory, "metrics.jsonl")} is none`,
  );
  expect(lines(directory)).toBe(text);
});
