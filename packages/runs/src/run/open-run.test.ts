import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { FakeClock, RecordingLogger } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { RunReader } from "../reader/run-reader.js";
import { type OpenRunOptions, openRun } from "./open-run.js";
import type { Run } from "./run.js";

const config = { model_name: "m", learning_rate: 0.001, num_epochs: 1 };
const logger = new RecordingLogger();
const clock = new FakeClock({ startMs: Date.UTC(2026, 0, 2) });
const open = (directory: string, more: Partial<OpenRunOptions> = {}) =>
  openRun(directory, { recipe: "sft", config, version: "1.2.3", logger, clock, ...more });
const linesOf = (...path: string[]) =>
  readFileSync(join(...path), "utf8")
    .trimEnd()
    .split("\n");

describe("openRun", () => {
  it("begins a run in a folder that it makes, with its configuration and its mark", async () => {
    const directory = join(temporaryDirectory(), "runs", "a");
    const run = await open(directory);
    expect(run.resumePoint).toBeUndefined();
    const reader = new RunReader(directory);
    expect(await reader.config()).toEqual(config);
    expect(await reader.mark()).toEqual({
      format: 1,
      recipe: "sft",
      version: "1.2.3",
      configHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      startedAt: "2026-01-02T00:00:00.000Z",
      pid: process.pid,
    });
  });

  it("refuses another configuration, names the fields that differ, and leaves the folder as it is", async () => {
    const directory = temporaryDirectory();
    await (await open(directory)).writeMetrics(0, { loss: 1 });
    const before = readFileSync(join(directory, "tinkex.json"), "utf8");
    const other = open(directory, { config: { ...config, learning_rate: 0.01, rank: 8 } });
    await expect(other).rejects.toThrow(
      /differs in learning_rate \(0\.001, now 0\.01\), rank \(not set, now 8\); go on with the same one/,
    );
    await expect(other).rejects.toBeInstanceOf(ValidationError);
    await expect(open(directory, { recipe: "rl" })).rejects.toThrow(/differs in recipe \(sft, now rl\)/);
    expect(readFileSync(join(directory, "tinkex.json"), "utf8")).toBe(before);
    expect(linesOf(directory, "metrics.jsonl")).toHaveLength(1);
  });

  it("takes another configuration in a folder of which the first call ended before its first step", async () => {
    const directory = temporaryDirectory();
    await (await open(directory)).close();
    const changed = { ...config, learning_rate: 0.01 };
    const run = await open(directory, { config: changed, recipe: "dpo" });
    expect(run.resumePoint).toBeUndefined();
    await run.writeMetrics(0, { loss: 1 });
    await run.close();
    const reader = new RunReader(directory);
    expect(await reader.config()).toEqual(changed);
    expect(await reader.mark()).toMatchObject({ recipe: "dpo" });
    // From its first step on it has a configuration.
    await expect(open(directory)).rejects.toThrow(/differs in recipe \(dpo, now sft\)/);
    await (await open(directory, { config: changed, recipe: "dpo" })).close();
  });

  it.each([
    ["a checkpoint", (run: Run) => run.writeCheckpoint({ name: "final", batch: 1 })],
    [
      "times",
      (run: Run) => run.writeTimingSpans(0, [{ name: "a", duration: 1, wall_start: 0, wall_end: 1 }]),
    ],
    ["rollouts", (run: Run) => run.writeRollouts(0, [])],
  ])("keeps the configuration of a run that has written %s", async (_, write) => {
    const directory = temporaryDirectory();
    const run = await open(directory);
    await write(run);
    await run.close();
    await expect(open(directory, { recipe: "rl" })).rejects.toThrow(/differs in recipe \(sft, now rl\)/);
  });

  it("refuses another configuration while a call that has done nothing yet is under way", async () => {
    const directory = temporaryDirectory();
    const run = await open(directory);
    await expect(open(directory, { recipe: "rl" })).rejects.toThrow(/differs in recipe \(sft, now rl\)/);
    await run.writeMetrics(0, { loss: 1 });
    expect(linesOf(directory, "metrics.jsonl")).toHaveLength(1);
  });

  it("goes on at the last checkpoint that has a state, drops what was logged after it, and keeps a copy", async () => {
    const directory = temporaryDirectory();
    const first = await open(directory);
    for (const step of [0, 1, 2, 3]) await first.writeMetrics(step, { loss: 4 - step });
    await first.writeCheckpoint({
      name: "000002",
      batch: 2,
      state_path: "tinker://r/weights/000002",
      mine: [1],
    });
    await first.writeCheckpoint({ name: "000003", batch: 3, sampler_path: "tinker://r/sampler_weights/3" });
    const whole = readFileSync(join(directory, "metrics.jsonl"), "utf8");

    const second = await open(directory);
    expect(second.resumePoint).toEqual({
      checkpoint: { name: "000002", batch: 2, state_path: "tinker://r/weights/000002", mine: [1] },
      statePath: "tinker://r/weights/000002",
      batch: 2,
      isFinished: false,
    });
    expect(linesOf(directory, "metrics.jsonl")).toEqual(['{"step": 0, "loss": 4}', '{"step": 1, "loss": 3}']);
    expect(readFileSync(join(directory, "metrics.jsonl.pre_resume_000002"), "utf8")).toBe(whole);
    expect(linesOf(directory, "checkpoints.jsonl")).toHaveLength(2);

    // Stopped again behind the same checkpoint: what was dropped first is still there.
    await second.writeMetrics(2, { loss: 8 });
    await second.close();
    await open(directory);
    expect(readFileSync(join(directory, "metrics.jsonl.pre_resume_000002"), "utf8")).toBe(whole);
    expect(linesOf(directory, "metrics.jsonl.pre_resume_000002_2").at(-1)).toBe('{"step": 2, "loss": 8}');
  });

  it("keeps the permissions of a log of which rows are dropped, and the link that leads to it", async () => {
    const directory = temporaryDirectory();
    const path = join(directory, "metrics.jsonl");
    writeFileSync(`${path}.real`, '{"step": 0}\n{"step": 1}\n');
    chmodSync(`${path}.real`, 0o640);
    symlinkSync(`${path}.real`, path);
    writeFileSync(
      join(directory, "checkpoints.jsonl"),
      '{"name": "1", "batch": 1, "state_path": "tinker://a"}\n',
    );
    await open(directory);
    expect(readFileSync(`${path}.real`, "utf8")).toBe('{"step": 0}\n');
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    if (process.platform !== "win32") expect(statSync(`${path}.real`).mode & 0o777).toBe(0o640);
  });

  it.each([
    { name: "final", batch: 2, final: true as const },
    { name: "final", batch: 2 },
  ])(
    "drops nothing from a run that has ended, such as what was measured behind its last step (%j)",
    async (checkpoint) => {
      const directory = temporaryDirectory();
      const first = await open(directory);
      for (const step of [0, 1]) await first.writeMetrics(step, { loss: step });
      await first.writeCheckpoint({ ...checkpoint, state_path: "tinker://a" });
      await first.writeMetrics(2, { test_nll: 0.5 });
      await first.writeTimingSpans(2, [{ name: "test", duration: 1, wall_start: 0, wall_end: 1 }]);
      await first.close();
      const again = await open(directory);
      expect(again.resumePoint?.isFinished).toBe(true);
      await again.close();
      expect(linesOf(directory, "metrics.jsonl")).toHaveLength(3);
      expect(linesOf(directory, "timing_spans.jsonl")).toHaveLength(1);
      expect(readdirSync(directory).filter((name) => name.includes("pre_resume"))).toEqual([]);
    },
  );

  it("begins again where there is no checkpoint, and says of a run that it has ended", async () => {
    const directory = temporaryDirectory();
    const first = await open(directory);
    await first.writeMetrics(0, { loss: 1 });
    const second = await open(directory);
    expect(second.resumePoint).toBeUndefined();
    expect(readFileSync(join(directory, "metrics.jsonl"), "utf8")).toBe("");
    await second.writeCheckpoint({
      name: "final",
      batch: 1,
      final: true,
      state_path: "tinker://r/weights/final",
    });
    expect((await open(directory)).resumePoint?.isFinished).toBe(true);
  });

  it("cookbook 18: a last line that was cut off is left out with a warning, and does not spoil the next one", async () => {
    const directory = temporaryDirectory();
    const first = await open(directory);
    await first.writeCheckpoint({ name: "000002", batch: 2, state_path: "tinker://a", elapsed_tokens: 12 });
    appendFileSync(join(directory, "checkpoints.jsonl"), '{"name": "000004", "batch": 4, "state_pa');
    appendFileSync(join(directory, "metrics.jsonl"), '{"step": 0, "loss": 2}\n{"step": 1, "lo');
    const log = new RecordingLogger();
    const second = await open(directory, { logger: log });
    expect(second.resumePoint?.batch).toBe(2);
    expect(log.lines.filter((line) => line.startsWith("warn: "))).toEqual([
      expect.stringMatching(/checkpoints\.jsonl: the last line was cut off and is left out/),
      expect.stringMatching(/metrics\.jsonl: the last line was cut off and is left out/),
    ]);
    await second.writeCheckpoint({ name: "000004", batch: 4, state_path: "tinker://b" });
    expect(await new RunReader(directory).checkpoints()).toEqual([
      { name: "000002", batch: 2, state_path: "tinker://a", elapsed_tokens: 12 },
      { name: "000004", batch: 4, state_path: "tinker://b" },
    ]);
  });

  it("keeps a last line that lacks nothing but its line feed, and rows without a step", async () => {
    const directory = temporaryDirectory();
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "metrics.jsonl"), '{"note": 1}\nnot json\n{"step": 0}\n{"step": 7}');
    writeFileSync(
      join(directory, "checkpoints.jsonl"),
      '{"name": "1", "batch": 1, "state_path": "tinker://a"}',
    );
    expect((await open(directory)).resumePoint?.batch).toBe(1);
    expect(linesOf(directory, "metrics.jsonl")).toEqual(['{"note": 1}', "not json", '{"step": 0}']);
  });

  it.each(["metrics", "checkpoints", "timing_spans"])(
    "refuses a folder whose %s another program wrote otherwise, and leaves it as it is",
    async (name) => {
      const directory = temporaryDirectory();
      const path = join(directory, `${name}.jsonl`);
      writeFileSync(path, '{\n  "step": 0\n}');
      const opened = open(directory);
      await expect(opened).rejects.toBeInstanceOf(ValidationError);
      await expect(opened).rejects.toThrow(`the last line of ${path} is none`);
      expect(readFileSync(path, "utf8")).toBe('{\n  "step": 0\n}');
    },
  );

  it("takes over a folder that Python wrote, and keeps its configuration beside", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "config.json"), '{"lora_rank": 32, "num_epochs": 1}');
    writeFileSync(
      join(directory, "checkpoints.jsonl"),
      '{"name": "000020", "batch": 20, "epoch": 0, "state_path": "tinker://a"}\n',
    );
    expect((await open(directory)).resumePoint?.batch).toBe(20);
    expect(readFileSync(join(directory, "config.json.before_tinkex"), "utf8")).toContain("lora_rank");
    expect(await new RunReader(directory).config()).toEqual(config);
    await open(directory);
    expect(readFileSync(join(directory, "config.json.before_tinkex"), "utf8")).toContain("lora_rank");
    // A call that was killed before its mark was written is one of Python's to the next one.
    rmSync(join(directory, "tinkex.json"));
    await open(directory);
    expect(readFileSync(join(directory, "config.json.before_tinkex"), "utf8")).toContain("lora_rank");
  });

  it("takes over no folder of another model, and leaves it as it is", async () => {
    const directory = temporaryDirectory();
    const python = '{"model_name": "Qwen/Qwen3-8B"}';
    writeFileSync(join(directory, "config.json"), python);
    writeFileSync(join(directory, "metrics.jsonl"), '{"step": 0}\n');
    const opened = (model_name: string | null) =>
      openRun(directory, { recipe: "sft", config: { model_name } });
    await expect(opened("Qwen/Qwen3-32B")).rejects.toThrow(
      /holds a run of the model Qwen\/Qwen3-8B, now Qwen\/Qwen3-32B; go on with the same one/,
    );
    expect(readdirSync(directory).sort()).toEqual(["config.json", "metrics.jsonl"]);
    expect(readFileSync(join(directory, "config.json"), "utf8")).toBe(python);
    await (await opened("Qwen/Qwen3-8B")).close();
    // Without a step nothing is lost: a first call with a mistake in it must not spoil the folder.
    const empty = temporaryDirectory();
    writeFileSync(join(empty, "config.json"), python);
    await (await openRun(empty, { recipe: "sft", config: { model_name: "Qwen/Qwen3-32B" } })).close();
  });

  it("goes on where an editor has put a byte order mark before each file", async () => {
    const directory = temporaryDirectory();
    const first = await open(directory);
    await first.writeMetrics(0, { a: 1 });
    await first.writeCheckpoint({ name: "000001", batch: 1, state_path: "tinker://a" });
    await first.close();
    for (const name of ["config.json", "tinkex.json", "metrics.jsonl", "checkpoints.jsonl"]) {
      const path = join(directory, name);
      // Without the end of the last line, as such editors leave it.
      writeFileSync(path, `\uFEFF${readFileSync(path, "utf8").trimEnd()}`);
    }
    const reader = new RunReader(directory);
    expect(await reader.config()).toEqual(config);
    const run = await open(directory);
    expect(run.resumePoint?.batch).toBe(1);
    await run.writeMetrics(1, { a: 2 });
    expect((await reader.metrics()).map(({ step }) => step)).toEqual([0, 1]);
  });

  it.each(["", '{"form', "[]"])("names a mark that holds %j, and the remedy", async (text) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "tinkex.json"), text);
    await expect(open(directory)).rejects.toThrow(
      /tinkex\.json must be a JSON object, and is broken \(.*\); remove it, or choose another directory/,
    );
  });

  it("refuses a checkpoint that does not say where to go on, and a mark of a later format", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "checkpoints.jsonl"), '{"name": "x", "state_path": "tinker://a"}\n');
    await expect(open(directory)).rejects.toThrow(
      /batch of checkpoint "x" must be a whole number from 0, got undefined/,
    );
    const later = temporaryDirectory();
    writeFileSync(join(later, "tinkex.json"), '{"format": 2}');
    await expect(open(later)).rejects.toThrow(/is a run of format 2, and this version knows 1/);
  });
});

describe("Run", () => {
  it("writes the step of a row, whatever its metrics call so, and goes on by it", async () => {
    const directory = temporaryDirectory();
    const run = await open(directory);
    await run.writeMetrics(3, { loss: 1, step: 500 });
    expect(linesOf(directory, "metrics.jsonl")).toEqual(['{"step": 3, "loss": 1}']);
    await run.writeCheckpoint({ name: "000004", batch: 4, state_path: "tinker://a" });
    await run.close();
    await open(directory);
    expect(linesOf(directory, "metrics.jsonl")).toHaveLength(1);
  });

  it("writes lines in the order of the calls, also of those that nobody waited for", async () => {
    const directory = temporaryDirectory();
    const run = await open(directory);
    await Promise.all(Array.from({ length: 50 }, (_, step) => run.writeMetrics(step, { loss: Number.NaN })));
    const rows = await new RunReader(directory).metrics();
    expect(rows.map(({ step }) => step)).toEqual(Array.from({ length: 50 }, (_, step) => step));
    expect(rows[0]?.loss).toBeNaN();
  });

  it("refuses names of rollouts that a file system without case would take for one", async () => {
    const run = await open(temporaryDirectory());
    await run.writeRollouts(0, [], "eval_words");
    await run.writeRollouts(1, [], "eval_words");
    await expect(run.writeRollouts(1, [], "eval_Words")).rejects.toThrow(
      'the name of rollouts must differ from "eval_words" in more than its case, got "eval_Words"',
    );
    await expect(run.writeRolloutTokens(0, [], "EVAL_words")).rejects.toBeInstanceOf(ValidationError);
  });

  it("refuses steps, names and values that no file can hold, before anything is written", async () => {
    const directory = temporaryDirectory();
    const run = await open(directory);
    await expect(run.writeMetrics(-1, {})).rejects.toThrow(/step must be a whole number from 0, got -1/);
    await expect(run.writeRollouts(0, [], "../x")).rejects.toThrow(/got "\.\.\/x"/);
    await expect(run.writeCheckpoint({ name: "" })).rejects.toThrow(/record\.name must be a string/);
    await expect(run.writeMetrics(0, { f: (() => 1) as never })).rejects.toThrow(/f must be a value of JSON/);
    expect(existsSync(join(directory, "metrics.jsonl"))).toBe(false);
  });
});
