import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RecordingLogger } from "@tinkex/base/testing";
import { RunReader } from "@tinkex/runs";
import { CANARY_KEY } from "@tinkex-tooling/canary";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { csvLog } from "./csv-log.js";
import { metricsLog } from "./metrics-log.js";
import { prometheusLog } from "./prometheus-log.js";

describe("metricsLog", () => {
  it("writes the lines and the configuration of the Python cookbook, and goes on after a line that was cut off", async () => {
    const directory = join(temporaryDirectory(), "run");
    const config = { learning_rate: 1e-4, api_key: CANARY_KEY };
    await using first = metricsLog({ directory, config });
    await Promise.all([first.log({ "loss:sum": 2.5, note: "warm" }, 0), first.log({ "loss:sum": 1 }, 1)]);
    const path = join(directory, "metrics.jsonl");
    appendFileSync(path, '{"step": 2, "loss');
    const logger = new RecordingLogger();
    const second = metricsLog({ directory, logger });
    void second.log({ "loss:sum": Number.NaN }, 2);
    await second.close();
    expect(readFileSync(path, "utf8")).toBe(
      '{"step": 0, "loss:sum": 2.5, "note": "warm"}\n{"step": 1, "loss:sum": 1}\n{"step": 2, "loss:sum": NaN}\n',
    );
    expect(logger.lines).toEqual([expect.stringContaining("the last line was cut off")]);
    const { rows } = await new RunReader(directory).newMetrics();
    expect(rows).toHaveLength(3);
    expect(readFileSync(join(directory, "config.json"), "utf8")).not.toContain(CANARY_KEY);
  });

  it("writes the step of a row, whatever its metrics call so", async () => {
    const directory = temporaryDirectory();
    await using log = metricsLog({ directory });
    await log.log({ loss: 1, step: 500 }, 3);
    expect(readFileSync(join(directory, "metrics.jsonl"), "utf8")).toBe('{"step": 3, "loss": 1}\n');
  });

  it("rejects each row where the folder cannot be made, and closes all the same", async () => {
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "");
    const log = metricsLog({ directory: join(file, "run") });
    await expect(log.log({ a: 1 }, 0)).rejects.toThrow("ENOTDIR");
    await expect(log.log({ a: 1 }, 1)).rejects.toThrow("ENOTDIR");
    await log.close();
  });

  it.each([
    ["csvLog", csvLog, "EEXIST"],
    ["prometheusLog", prometheusLog, "ENOTDIR"],
  ] as const)(
    "%s names itself and its file where the system refuses a row, and keeps the system's code",
    async (name, make, code) => {
      const file = join(temporaryDirectory(), "file");
      writeFileSync(file, "");
      const log = make({ file: join(file, "metrics") });
      const refusal = await log.log({ a: 1 }, 0).catch((error: unknown) => error);
      expect(String(refusal)).toMatch(
        new RegExp(
          `^Error: ${name}: .*file/metrics cannot be written \\(${code}: .*\\); rows wait, and are tried again with the next one$`,
        ),
      );
      expect(refusal).toHaveProperty("code", code);
      await log.close();
    },
  );

  it.each([
    [{}, "metricsLog: directory must be a string"],
    [{ directory: "x", file: "y" }, 'the options of metricsLog: unknown field "file"'],
  ])("refuses %j", (options, message) => {
    expect(() => metricsLog(options as never)).toThrow(message);
  });
});

describe("csvLog", () => {
  it("gives a new metric a column, and goes on in the file after a row that was cut off", async () => {
    const file = join(temporaryDirectory(), "run", "metrics.csv");
    const first = csvLog({ file });
    await Promise.all([first.log({ loss: 2 }, 0), first.log({ loss: 1, 'a "b", c': 3 }, 1)]);
    appendFileSync(file, "2,0.");
    const second = csvLog({ file });
    await second.log({ 'a "b", c': 5, extra: "two\nlines" }, 2);
    await second.close();
    expect(readFileSync(file, "utf8")).toBe('step,loss,"a ""b"", c",extra\n0,2,,\n1,1,3,\n2,,5,two lines\n');
  });
});

describe("prometheusLog", () => {
  it("gives the newest values under their own names, in a file too", async () => {
    const file = join(temporaryDirectory(), "tinkex.prom");
    const log = prometheusLog({ labels: { run: 'a "b"\\c' }, file });
    expect(log.text()).toBe("");
    await log.log({ "loss:sum": 2, grad_norm: Number.POSITIVE_INFINITY }, 0);
    await log.log({ "loss:sum": 1.5, note: "words are left out" }, 1);
    expect(log.text().split("\n")).toEqual([
      "# HELP tinkex_training_step Number of the last training step, from 0.",
      "# TYPE tinkex_training_step gauge",
      'tinkex_training_step{run="a \\"b\\"\\\\c"} 1',
      "# HELP tinkex_training_metric Newest value of a metric of training, by its name.",
      "# TYPE tinkex_training_metric gauge",
      'tinkex_training_metric{run="a \\"b\\"\\\\c",name="loss:sum"} 1.5',
      'tinkex_training_metric{run="a \\"b\\"\\\\c",name="grad_norm"} +Inf',
      "",
    ]);
    expect(readFileSync(file, "utf8")).toBe(log.text());
  });

  it("takes no label that Prometheus would refuse", () => {
    expect(() => prometheusLog({ labels: { "my-run": "a" } })).toThrow(
      'prometheusLog: labels must be named by letters, digits and "_", and not "name", got "my-run"',
    );
    expect(() => prometheusLog({ labels: { name: "a" } })).toThrow('got "name"');
  });
});
