import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { writeNewDirectory } from "../adapter/write-new-directory.js";
import { Dice } from "../testing/fuzz/dice.js";
import { type DiskChange, writeSurvivors } from "../testing/power-loss.js";
import { CheckpointStore, type SaveCheckpoint } from "./checkpoint-store.js";
import { recoverFromCrash } from "./crash-recovery.js";
import { DataLayout } from "./data-layout.js";
import { RecordReader } from "./record-reader.js";
import { RunStore } from "./run-store.js";

const changes: DiskChange[] = [];

// Other files of this process may have loaded the modules with the real file system, and later ones must load them with it.
vi.hoisted(() => vi.resetModules());
afterAll(() => {
  vi.doUnmock("node:fs/promises");
  vi.resetModules();
});

vi.mock("node:fs/promises", async (importActual) => {
  const real = await importActual<typeof import("node:fs/promises")>();
  const { readdir, lstat } = real;
  const { join } = await import("node:path");
  /** Removes are one change a name, the innermost first, as the system calls are. */
  const noteRemoval = async (path: string): Promise<void> => {
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined) return;
    if (found.isDirectory()) for (const name of await readdir(path)) await noteRemoval(join(path, name));
    changes.push({ kind: "remove", path });
  };
  return {
    ...real,
    async mkdir(path: string, options: never) {
      const made = await real.mkdir(path, options);
      // With `recursive` a folder may be there already, which the result then leaves out.
      const isNew = typeof options !== "object" || made === path;
      if (isNew) changes.push({ kind: "mkdir", path });
      return made;
    },
    async rename(path: string, to: string) {
      await real.rename(path, to);
      changes.push({ kind: "rename", path, to });
    },
    async rm(path: string, options: never) {
      await noteRemoval(path);
      await real.rm(path, options);
    },
    async rmdir(path: string) {
      await real.rmdir(path);
      changes.push({ kind: "remove", path });
    },
    async open(path: string, ...rest: never[]) {
      const file: FileHandle = await real.open(path, ...rest);
      const { sync, writeFile } = file;
      file.sync = async () => {
        await sync.call(file);
        changes.push({ kind: "sync", path });
      };
      file.writeFile = async (content, options) => {
        await writeFile.call(file, content, options);
        changes.push({ kind: "write", path, content: Buffer.from(content as Uint8Array).toString() });
      };
      return file;
    },
  };
});

const RUNS = ["s:train:0", "s:train:1"] as const;
const NAMES = ["a", "b", "c"] as const;

/** Texts that may be read at a place; undefined for no checkpoint. */
type Allowed = Map<string, readonly (string | undefined)[]>;

interface Cut {
  /** Number of changes that were made before the power went. */
  readonly count: number;
  readonly allowed: Allowed;
}

const openStore = (root: string, clock: FakeClock) => {
  const layout = new DataLayout(root);
  const reader = new RecordReader(root, silentLogger);
  return {
    layout,
    reader,
    store: new CheckpointStore(layout, clock, reader),
    runs: new RunStore(layout, reader),
  };
};

const wish = (run: string, name: string): SaveCheckpoint => ({
  training_run_id: run,
  kind: "weights",
  name,
  base_model: "tiny",
  shape: { rank: 4, trainAttention: true, trainMlp: true, trainUnembedding: false },
  has_optimizer: true,
  mayOverwrite: true,
});

type Change = "save" | "delete" | "publish" | "expire";

/** Text of a checkpoint as {@link readAfterStart} reads it, once anybody may read it. */
const published = (text: string) => (text.endsWith(" public") ? text : `${text} public`);

/** Saves, replaces, deletes, publishes and expires by chance, and notes after which change what may be there. */
async function work(root: string, clock: FakeClock, dice: Dice, steps: number): Promise<Cut[]> {
  const { store, runs } = openStore(root, clock);
  const now = new Map<string, string>();
  const cuts: Cut[] = [];
  for (let step = 0; step < steps; step += 1) {
    const run = dice.of(RUNS);
    const name = dice.of(NAMES);
    const key = `${run}/${name}`;
    const place = { training_run_id: run, kind: "weights", name } as const;
    const before = now.get(key);
    const change = dice.of<Change>(["save", "save", "save", "delete", "publish", "expire"]);
    const first = changes.length;
    let text: string | undefined;
    if (change === "save") {
      text = `text ${step}`;
      const content = new TextEncoder().encode(text);
      const { base_model, shape } = wish(run, name);
      const created_at = "2027-01-15T08:00:00.000Z";
      await runs.save({ training_run_id: run, session_id: "s", base_model, shape, created_at });
      await store.save(wish(run, name), async (directory) => {
        await writeNewDirectory(directory, new Map([["adapter", content]]));
        return content.length;
      });
    } else if (change === "delete") await store.delete(place);
    else if (before !== undefined && change === "publish") {
      await store.update(place, { isPublic: true });
      text = published(before);
    } else if (before !== undefined) {
      await store.update(place, { ttlSeconds: 1 });
      await clock.advance(1_000);
      expect(await store.read(run, "weights", name)).toBeUndefined();
    }
    const settled: Allowed = new Map([...now].map(([other, value]) => [other, [value]]));
    for (let count = first; count < changes.length; count += 1) {
      cuts.push({ count, allowed: new Map(settled).set(key, [before, text]) });
    }
    if (text === undefined) now.delete(key);
    else now.set(key, text);
    cuts.push({ count: changes.length, allowed: new Map(settled).set(key, [text]) });
  }
  return cuts;
}

/** Texts of all checkpoints after a start on this directory. */
async function readAfterStart(root: string, clock: FakeClock): Promise<Map<string, string>> {
  const { layout, reader, store } = openStore(root, clock);
  await recoverFromCrash(layout, reader);
  const { readFile } = await import("node:fs/promises");
  const texts = new Map<string, string>();
  for (const { training_run_id: run, name, is_public: isPublic } of await store.listAll()) {
    const file = join(layout.checkpoint({ training_run_id: run, kind: "weights", name }), "adapter");
    const text = await readFile(file, "utf8");
    texts.set(`${run}/${name}`, isPublic === true ? published(text) : text);
  }
  return texts;
}

/** Everything of changes under way that is still there. */
async function leftIn(root: string): Promise<string[]> {
  const { layout } = openStore(root, new FakeClock());
  const { readdir } = await import("node:fs/promises");
  const left: string[] = [];
  for (const run of RUNS) {
    for (const folder of [layout.staging(run), layout.retired(run)])
      left.push(...(await readdir(folder, { recursive: true }).catch(() => [])));
  }
  return left;
}

describe("checkpoints and a loss of power", () => {
  beforeEach(() => void changes.splice(0));

  // Each seed at every moment: TINKEX_POWER_LOSS_SEEDS=100. By default two, at a sixth of the moments.
  const seeds = Number(process.env.TINKEX_POWER_LOSS_SEEDS ?? 2);
  const share = process.env.TINKEX_POWER_LOSS_SEEDS === undefined ? 1 / 6 : 1;

  it.each(Array.from({ length: seeds }, (_, seed) => seed))(
    "keeps what was acknowledged and nothing of what was deleted, at any moment (seed %i)",
    async (seed) => {
      const dice = new Dice(seed, "power loss");
      const root = temporaryDirectory();
      const clock = new FakeClock({ startMs: 1_800_000_000_000 });
      const cuts = await work(root, clock, dice, 8);
      const made = [...changes];
      for (const { count, allowed } of cuts.filter(() => dice.hits(share))) {
        const to = join(temporaryDirectory(), "disk");
        const chance = dice.of([0, 0.5, 1]);
        await writeSurvivors(made.slice(0, count), { from: root, to, survives: () => dice.hits(chance) });
        const found = await readAfterStart(to, clock);
        // All changes survive a server that was killed alone, and the next one tidies up after it.
        if (chance === 1) expect(await leftIn(to), `left after ${count} changes`).toEqual([]);
        for (const key of RUNS.flatMap((run) => NAMES.map((name) => `${run}/${name}`))) {
          expect(allowed.get(key) ?? [undefined], `${key} after ${count} changes`).toContain(found.get(key));
        }
      }
    },
  );
});
