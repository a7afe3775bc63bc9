import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ClosedError, ValidationError } from "@tinkex/base";
import { processMark } from "@tinkex/base/node";
import { RecordingLogger } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMetrics } from "./open-metrics.js";
import { openRows } from "./open-rows.js";

/** A process that does nothing until it is ended. */
async function idleProcess() {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  return child;
}

/** Says in a lock that a process holds it. */
function hold(lock: string, pid: number | undefined): void {
  const [machine] = processMark().split("-");
  writeFileSync(lock, JSON.stringify({ token: "theirs", process: `${machine}-${pid}` }));
}

const LINE = '{"step": 0}\n{"step": 1, "lo';

describe.each([
  {
    name: "openRows",
    file: "rows.jsonl",
    open: async (folder: string) => {
      const rows = await openRows(join(folder, "rows.jsonl"));
      return { write: (n: number) => rows.append({ step: n }), close: rows.close };
    },
  },
  {
    name: "openMetrics",
    file: "metrics.jsonl",
    open: async (folder: string) => {
      const run = await openMetrics(folder);
      return { write: (n: number) => run.writeMetrics(n, {}), close: () => run.close() };
    },
  },
])("$name", ({ name, file, open }) => {
  it("leaves a line that another process is writing as it is, names that process, and goes on once it has ended", async () => {
    const folder = temporaryDirectory();
    const path = join(folder, file);
    writeFileSync(path, LINE);
    const child = await idleProcess();
    hold(`${path}.lock`, child.pid);
    const opened = open(folder);
    await expect(opened).rejects.toBeInstanceOf(ValidationError);
    await expect(opened).rejects.toThrow(
      `${name}: ${path} is being written by process ${child.pid}; wait for its end, or`,
    );
    expect(readFileSync(path, "utf8")).toBe(LINE);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    const { write, close } = await open(folder);
    await write(1);
    await close();
    expect(readFileSync(path, "utf8")).toBe('{"step": 0}\n{"step": 1}\n');
    expect(readdirSync(folder)).toEqual([file]);
  });

  it("lets calls of one process write side by side, and holds the file until the last has closed it", async () => {
    const folder = temporaryDirectory();
    const lock = join(folder, `${file}.lock`);
    const [one, two] = await Promise.all([open(folder), open(folder)]);
    await Promise.all([one.write(0), two.write(1), one.write(2)]);
    expect(readFileSync(join(folder, file), "utf8").trim().split("\n")).toHaveLength(3);
    await one.close();
    await one.close();
    await expect(one.write(3)).rejects.toBeInstanceOf(ClosedError);
    expect(existsSync(lock)).toBe(true);
    await two.write(3);
    await two.close();
    expect(existsSync(lock)).toBe(false);
  });

  it("writes nothing more once another process has the file", async () => {
    const folder = temporaryDirectory();
    const { write } = await open(folder);
    const child = await idleProcess();
    hold(join(folder, `${file}.lock`), child.pid);
    const late = write(0);
    await expect(late).rejects.toBeInstanceOf(ClosedError);
    await expect(late).rejects.toThrow(`was opened by process ${child.pid}, which goes on with it`);
  });

  it("gives the file back where it cannot be opened", async () => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, file), "words");
    await expect(open(folder)).rejects.toThrow("is none");
    expect(readdirSync(folder)).toEqual([file]);
  });

  it("does not cut a long line that another call of this process is writing", async () => {
    const folder = temporaryDirectory();
    const rows = await openRows(join(folder, file));
    // Longer than what is written in one piece.
    const long = "x".repeat(3_000_000);
    const writing = rows.append({ long });
    for (let count = 0; count < 20; count += 1) await (await open(folder)).write(count);
    await writing;
    const lines = readFileSync(join(folder, file), "utf8").trim().split("\n");
    expect(lines).toHaveLength(21);
    for (const line of lines) JSON.parse(line);
  });
});

it("one file by two names has one lock", async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, "rows.jsonl"), "");
  symlinkSync(join(folder, "rows.jsonl"), join(folder, "link.jsonl"));
  hold(join(folder, "rows.jsonl.lock"), (await idleProcess()).pid);
  await expect(openRows(join(folder, "link.jsonl"))).rejects.toThrow("is being written by process");
});

it("metrics of a run that another process writes are refused, and those of a run of this one are not", async () => {
  const folder = temporaryDirectory();
  hold(join(folder, "tinkex.lock"), (await idleProcess()).pid);
  await expect(openMetrics(folder)).rejects.toThrow(`openMetrics: ${folder} is being written by process`);
  expect(readdirSync(folder)).toEqual(["tinkex.lock"]);
  hold(join(folder, "tinkex.lock"), process.pid);
  await (await openMetrics(folder)).writeMetrics(0, {});
});

it("a lock that was taken away with its folder is made again by the next call", async () => {
  const folder = temporaryDirectory();
  const path = join(folder, "runs", "rows.jsonl");
  await openRows(path);
  rmSync(join(folder, "runs"), { recursive: true });
  const rows = await openRows(path, { logger: new RecordingLogger() });
  expect(existsSync(`${path}.lock`)).toBe(true);
  await rows.append({ a: 1 });
});
