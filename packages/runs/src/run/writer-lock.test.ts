import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type * as Files from "node:fs/promises";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { ClosedError } from "@tinkex/base";
import { RecordingLogger } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it, onTestFinished } from "vitest";
import { RunReader } from "../reader/run-reader.js";
import { openRun } from "./open-run.js";

const open = (directory: string, logger = new RecordingLogger()) =>
  openRun(directory, { recipe: "sft", config: { num_epochs: 1 }, logger });
const lockOf = (directory: string): { process: string; startedAt?: string } =>
  JSON.parse(readFileSync(join(directory, "tinkex.lock"), "utf8"));

/** Says in the lock of a run that another process writes it. */
async function heldBy(pid: number, more: object = {}): Promise<string> {
  const directory = temporaryDirectory();
  await open(directory);
  heldIn(directory, pid, more);
  return directory;
}

function heldIn(directory: string, pid: number, more: object = {}): void {
  const [machine] = lockOf(directory).process.split("-");
  const record = { token: `of ${pid}`, process: `${machine}-${pid}`, ...more };
  writeFileSync(join(directory, "tinkex.lock"), JSON.stringify(record));
}

/** A process that does nothing until it is ended. */
function idleProcess() {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

it("a run that another process writes is refused, by its id, and goes on once that has ended", async () => {
  const child = idleProcess();
  await once(child, "spawn");
  const directory = await heldBy(child.pid ?? 0);
  await expect(open(directory)).rejects.toThrow(
    `openRun: ${directory} is being written by process ${child.pid}; wait for its end, or choose another directory`,
  );
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  await (await open(directory)).writeMetrics(0, { loss: 1 });
});

it.runIf(existsSync("/proc/self/stat"))(
  "a process that has got the id of a writer that was killed keeps nobody from going on",
  async () => {
    const child = idleProcess();
    await once(child, "spawn");
    const directory = await heldBy(child.pid ?? 0, { startedAt: "1" });
    await (await open(directory)).writeMetrics(0, { loss: 1 });
  },
);

/** Lets another process write its lock right before this one moves a file to or from the place of the lock. */
function overtake(directory: string, lock: string): void {
  // The object whose functions `node:fs/promises` exports.
  const files: typeof Files = createRequire(import.meta.url)("node:fs/promises");
  const { link, rename } = files;
  const restore = (): void => {
    Object.assign(files, { link, rename });
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  const path = join(directory, "tinkex.lock");
  const before =
    (move: typeof link) =>
    async (from: Parameters<typeof link>[0], to: Parameters<typeof link>[1]): Promise<void> => {
      if (from === path || to === path) {
        restore();
        writeFileSync(path, lock);
      }
      await move(from, to);
    };
  Object.assign(files, { link: before(link), rename: before(rename) });
  syncBuiltinESMExports();
}

it.each([
  ["when there was none", false],
  ["in place of one whose process has ended", true],
])("a process that takes the lock a moment earlier has it, %s", async (_, hasStale) => {
  const child = idleProcess();
  await once(child, "spawn");
  const directory = await heldBy(child.pid ?? 0);
  const theirs = readFileSync(join(directory, "tinkex.lock"), "utf8");
  const gone = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(gone, "exit");
  if (hasStale) heldIn(directory, gone.pid ?? 0);
  else rmSync(join(directory, "tinkex.lock"));
  overtake(directory, theirs);
  await expect(open(directory)).rejects.toThrow(`is being written by process ${child.pid}`);
  expect(readFileSync(join(directory, "tinkex.lock"), "utf8")).toBe(theirs);
  expect(readdirSync(directory).filter((name) => name.startsWith("tinkex.lock"))).toEqual(["tinkex.lock"]);
});

it("a run that another process has taken over names that process to the one that had it", async () => {
  const child = idleProcess();
  await once(child, "spawn");
  const directory = temporaryDirectory();
  const run = await open(directory);
  const [machine] = lockOf(directory).process.split("-");
  const take = (process: string): void =>
    writeFileSync(join(directory, "tinkex.lock"), JSON.stringify({ token: "theirs", process }));
  take(`${machine}-${child.pid}`);
  const late = run.writeMetrics(0, { loss: 1 });
  await expect(late).rejects.toBeInstanceOf(ClosedError);
  await expect(late).rejects.toThrow(`was opened by process ${child.pid}, which goes on with the run`);
  take(`00000000-${child.pid}`);
  await expect(run.writeMetrics(0, { loss: 1 })).rejects.toThrow(
    "was opened by a process of another machine",
  );
  await run.close();
  expect(existsSync(join(directory, "tinkex.lock"))).toBe(true);
});

it("a run whose metrics another process writes is refused, and leaves no lock", async () => {
  const child = idleProcess();
  await once(child, "spawn");
  const directory = await heldBy(child.pid ?? 0);
  renameSync(join(directory, "tinkex.lock"), join(directory, "metrics.jsonl.lock"));
  await expect(open(directory)).rejects.toThrow(`is being written by process ${child.pid}`);
  expect(existsSync(join(directory, "tinkex.lock"))).toBe(false);
});

it("a run that was opened again is written by the last call alone", async () => {
  const directory = temporaryDirectory();
  const first = await open(directory);
  await first.writeMetrics(0, { loss: 3 });
  const second = await open(directory);
  const late = first.writeMetrics(1, { loss: 2 });
  await expect(late).rejects.toBeInstanceOf(ClosedError);
  await expect(late).rejects.toThrow(/was closed, or opened again by another call/);
  await second.writeMetrics(0, { loss: 1 });
  // Closing what is no longer in charge takes nothing from the one that is.
  await first.close();
  await second.writeMetrics(1, { loss: 0 });
  const rows = await new RunReader(directory).metrics();
  expect(rows).toEqual([
    { step: 0, loss: 1 },
    { step: 1, loss: 0 },
  ]);
});

it("a run that is closed leaves no lock, and writes nothing more", async () => {
  const directory = temporaryDirectory();
  {
    await using run = await open(directory);
    void run.writeMetrics(0, { loss: 1 });
  }
  expect(existsSync(join(directory, "tinkex.lock"))).toBe(false);
  expect(await new RunReader(directory).metrics()).toHaveLength(1);
  const run = await open(directory);
  await run.close();
  await expect(run.writeMetrics(0, {})).rejects.toBeInstanceOf(ClosedError);
  await run.close();
});

it("a call that fails leaves no lock", async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "checkpoints.jsonl"), '{"name": "x", "state_path": "tinker://a"}\n');
  await expect(open(directory)).rejects.toThrow(/batch of checkpoint/);
  expect(existsSync(join(directory, "tinkex.lock"))).toBe(false);
});

it("a writer of another machine is taken for one that has ended, with a warning, and a broken lock for none", async () => {
  const directory = await heldBy(1, { process: `00000000-${process.pid}` });
  const logger = new RecordingLogger();
  await open(directory, logger);
  expect(logger.lines).toEqual([expect.stringMatching(/^warn: .* was written on another machine/)]);
  writeFileSync(join(directory, "tinkex.lock"), '{"tok');
  await (await open(directory)).writeMetrics(0, {});
});
