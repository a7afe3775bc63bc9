import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Logger, silentLogger } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { DataLayout } from "../disk/data-layout.js";
import type { ProcessTable } from "../lock/process-table.js";
import { openDataDirectory } from "./data-directory.js";

/** A process of one machine, with all that Linux tells of it, that sees those in `running`. */
function processOf(pid: number, running: readonly number[] = []): ProcessTable {
  const self = { host: "web", bootId: "boot-1", pidNamespace: "pid:[1]", pid, startedAt: `${pid}00` };
  return { self, lookUp: (id) => (running.includes(id) ? { startedAt: `${id}00` } : "gone") };
}

/** Opens the data directory of a server that is given none. The servers of a test that is over are closed. */
async function open(processes: ProcessTable, given?: string, logger: Logger = silentLogger) {
  const clock = new FakeClock({ startMs: 1_800_000_000_000 });
  const data = await openDataDirectory(given, { clock, logger, processes });
  onTestFinished(() => data.close());
  return data;
}

/** Has temporary folders made in an empty one. */
async function temporaryParent(): Promise<string> {
  const parent = temporaryDirectory();
  vi.stubEnv("TMPDIR", parent);
  onTestFinished(() => void vi.unstubAllEnvs());
  return parent;
}

function write(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "bytes");
}

const keepWeights = ({ modelWeights }: DataLayout) => write(join(modelWeights, "model.f32"));
const saveCheckpoint = ({ runs }: DataLayout) => write(join(runs, "run", "weights", "one", "adapter.json"));

describe("a data directory that a server made for itself", () => {
  it("goes when the server closes, and where a checkpoint was saved, at least the copies of base models do", async () => {
    const parent = await temporaryParent();
    const [unused, used] = [await open(processOf(7)), await open(processOf(7, [7]))];
    for (const { layout } of [unused, used]) keepWeights(layout);
    saveCheckpoint(used.layout);
    await unused.close();
    await used.close();
    expect(readdirSync(parent).map((name) => join(parent, name))).toEqual([used.layout.root]);
    expect(existsSync(used.layout.modelWeights)).toBe(false);
    expect(existsSync(join(used.layout.runs, "run", "weights", "one", "adapter.json"))).toBe(true);
  });

  it("keeps its copies of base models at the close where it was named: the next start finds them", async () => {
    const data = await open(processOf(7), temporaryDirectory());
    keepWeights(data.layout);
    await data.close();
    expect(readdirSync(data.layout.modelWeights)).toHaveLength(1);
  });

  it("goes at the next start when its server was killed, and so do the copies of base models beside a checkpoint", async () => {
    await temporaryParent();
    const [unused, used] = [await open(processOf(7)), await open(processOf(8, [7]))];
    for (const { layout } of [unused, used]) keepWeights(layout);
    saveCheckpoint(used.layout);
    await open(processOf(9));
    expect(existsSync(unused.layout.root)).toBe(false);
    expect(existsSync(used.layout.modelWeights)).toBe(false);
    expect(existsSync(join(used.layout.runs, "run", "weights", "one", "adapter.json"))).toBe(true);
  });

  it("stays as it is while its server runs, may run elsewhere, has closed, or has another name, or holds something of others", async () => {
    const parent = await temporaryParent();
    const elsewhere = { ...processOf(5), self: { ...processOf(5).self, host: "other" } };
    const [running, foreign, closed] = [
      await open(processOf(7)),
      await open(elsewhere),
      await open(processOf(8, [7])),
    ];
    saveCheckpoint(closed.layout);
    await closed.close();
    keepWeights(closed.layout);
    const named = await open(processOf(6, [7]), join(parent, "tinkex-my-runs"));
    const noted = await open(processOf(6, [7]));
    write(join(noted.layout.root, "notes.txt"));
    for (const { layout } of [running, foreign, named]) keepWeights(layout);
    await open(processOf(9, [7]));
    for (const { layout } of [running, foreign, closed, named])
      expect(readdirSync(layout.modelWeights)).toEqual(["model.f32"]);
    expect(existsSync(join(noted.layout.root, "notes.txt"))).toBe(true);
  });

  it("is passed over without a word when it is a file, or has no lock that can be read", async () => {
    const parent = await temporaryParent();
    const lines: string[] = [];
    const note = (message: string) => void lines.push(message);
    write(join(parent, "tinkex-abcdef", "server-lock", "1.json"));
    write(join(parent, "tinkex-ABCDEF", "model-weights", "model.f32"));
    write(join(parent, "tinkex-123456"));
    const before = readdirSync(parent);
    const data = await open(processOf(9), undefined, { debug: note, info: note, warn: note, error: note });
    await data.close();
    expect(readdirSync(parent)).toEqual(before);
    expect(lines).toEqual([]);
  });
});
