import { mkdir, readdir, readFile, rename, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.js";
import { CheckpointStore, type SaveCheckpoint } from "./checkpoint-store.js";
import { DataLayout } from "./data-layout.js";
import { clearLeftovers } from "./leftovers.js";
import { ownedName } from "./owned-name.js";
import { RunStore } from "./run-store.js";

const wish: SaveCheckpoint = {
  training_run_id: "s:train:0",
  kind: "weights",
  name: "step-1",
  base_model: "tiny",
  shape: { rank: 4, trainAttention: true, trainMlp: true, trainUnembedding: false },
  has_optimizer: true,
  overwrite: false,
};

async function openStore() {
  const clock = new FakeClock({ startMs: 1_800_000_000_000 });
  const layout = new DataLayout(await temporaryDirectory());
  return { clock, layout, store: new CheckpointStore(layout, clock) };
}

/** Writes a file as an engine would, into a directory of its own making. */
function writer(text: string) {
  return async (directory: string) => {
    await mkdir(directory);
    await writeFile(join(directory, "adapter"), text);
    return text.length;
  };
}

async function adapterText(layout: DataLayout): Promise<string> {
  return readFile(join(layout.checkpoint("s:train:0", "weights", "step-1"), "adapter"), "utf8");
}

describe("CheckpointStore", () => {
  it("gives back what was saved, also to a later start on the same directory", async () => {
    const { clock, layout, store } = await openStore();
    const saved = await store.save({ ...wish, user_metadata: { a: "b" } }, writer("12345"));
    expect(saved).toMatchObject({
      name: "step-1",
      size_bytes: 5,
      user_metadata: { a: "b" },
      created_at: "2027-01-15T08:00:00.000Z",
    });
    const restarted = new CheckpointStore(layout, clock);
    expect(await restarted.read("s:train:0", "weights", "step-1")).toEqual(saved);
    expect(await restarted.listAll()).toEqual([saved]);
    expect(await readdir(layout.staging("s:train:0"))).toEqual([]);
  });

  it("lists the newest first", async () => {
    const { clock, store } = await openStore();
    for (const name of ["b", "a", "c"]) {
      await store.save({ ...wish, name, kind: name === "a" ? "sampler_weights" : "weights" }, writer(name));
      await clock.advance(1000);
    }
    expect((await store.list("s:train:0")).map(({ name }) => name)).toEqual(["c", "a", "b"]);
    expect(await store.list("other")).toEqual([]);
  });

  it("endpoints 14: keeps the first of two saves of a name, unless told to overwrite", async () => {
    const { layout, store } = await openStore();
    await store.save(wish, writer("first"));
    await expect(store.save(wish, writer("second"))).rejects.toMatchObject({
      category: "user",
      message:
        "Checkpoint 'step-1' already exists for model s:train:0 in weights. Please choose a different name to avoid overwriting.",
    });
    expect(await adapterText(layout)).toBe("first");
    await store.save({ ...wish, overwrite: true }, writer("third"));
    expect(await adapterText(layout)).toBe("third");
    expect(await readdir(layout.retired("s:train:0"))).toEqual([]);
  });

  it("leaves nothing of a save that failed half-way, and the old one in place", async () => {
    const { layout, store } = await openStore();
    await store.save(wish, writer("first"));
    const torn = async (directory: string): Promise<number> => {
      await writer("half")(directory);
      throw new Error("disk full");
    };
    await expect(store.save({ ...wish, overwrite: true }, torn)).rejects.toThrow("disk full");
    expect(await adapterText(layout)).toBe("first");
    expect(await readdir(layout.staging("s:train:0"))).toEqual([]);
  });

  it("removes on closing what an engine that was cut off went on writing", async () => {
    const { layout, store } = await openStore();
    let staged = "";
    const cutOff = async (directory: string): Promise<number> => {
      staged = directory;
      throw new Error("closed");
    };
    await expect(store.save(wish, cutOff)).rejects.toThrow("closed");
    await mkdir(staged, { recursive: true });
    await writeFile(join(staged, "adapter"), "late");
    await store.close();
    expect(await readdir(layout.staging("s:train:0"))).toEqual([]);
  });

  it("replaces a checkpoint of the longest name", async () => {
    const { store } = await openStore();
    const longest = { ...wish, name: "x".repeat(255), overwrite: true };
    await store.save(longest, writer("first"));
    expect(await store.save(longest, writer("second"))).toMatchObject({ size_bytes: 6 });
  });

  it("says so when a checkpoint cannot be removed", async () => {
    const { store } = await openStore();
    await store.save(wish, writer("kept"));
    await store.delete({ ...wish, name: "not-there" });
    await expect(store.delete({ ...wish, name: "x".repeat(300) })).rejects.toThrow("ENAMETOOLONG");
  });

  it("endpoints 14: forgets a checkpoint whose time is over", async () => {
    const { clock, layout, store } = await openStore();
    const { expires_at } = await store.save({ ...wish, ttlSeconds: 3600 }, writer("x"));
    expect(expires_at).toBe("2027-01-15T09:00:00.000Z");
    await clock.advance(3_599_999);
    expect(await store.read("s:train:0", "weights", "step-1")).toBeDefined();
    await clock.advance(1);
    expect(await store.read("s:train:0", "weights", "step-1")).toBeUndefined();
    expect(await readdir(layout.checkpoints("s:train:0", "weights"))).toEqual([]);
    await store.save(wish, writer("again"));
  });

  it.each(["", ".", "..", "../x", "a/b", ".hidden", "a b", "ü", "x".repeat(256)])(
    "refuses the name %j",
    async (name) => {
      const { layout, store } = await openStore();
      await expect(store.save({ ...wish, name }, writer("x"))).rejects.toMatchObject({ category: "user" });
      expect(await readdir(layout.root)).toEqual([]);
      expect(await store.read("s:train:0", "weights", name)).toBeUndefined();
    },
  );

  it("reads nothing outside its directory", async () => {
    const { layout, store } = await openStore();
    await mkdir(layout.runs, { recursive: true });
    await store.save({ ...wish, training_run_id: "run" }, writer("x"));
    for (const run of ["..", "../runs/run", "run/../run", ".", ""]) {
      expect(await store.read(run, "weights", "step-1"), run).toBeUndefined();
      expect(await store.list(run), run).toEqual([]);
    }
  });
});

describe("a data directory with things of other origin", () => {
  it("passes them over", async () => {
    const { clock, layout, store } = await openStore();
    await store.save(wish, writer("kept"));
    for (const name of ["%E0%A4%A", ".DS_Store", "with space"]) await mkdir(join(layout.runs, name));
    await mkdir(join(layout.checkpoints("s:train:0", "weights"), "empty"));
    await clearLeftovers(layout, clock);
    expect((await store.listAll()).map(({ name }) => name)).toEqual(["step-1"]);
    expect(await new RunStore(layout).list()).toEqual([]);
  });
});

describe("clearLeftovers", () => {
  /** No process has this number: it is above every system's limit. */
  const deadOwner = `${2 ** 30}~tag~1`;

  it("removes what a killed server was saving, and lets a running one go on", async () => {
    const { layout, store } = await openStore();
    await store.save(wish, writer("kept"));
    const staging = layout.staging("s:train:0");
    const running = ownedName();
    await writer("half")(join(staging, deadOwner));
    await writer("at work")(join(staging, running));
    await clearLeftovers(layout, systemClock);
    expect(await readdir(staging)).toEqual([running]);
    await clearLeftovers(layout, { ...systemClock, now: () => Date.now() + 3_700_000 });
    expect(await readdir(staging)).toEqual([]);
    expect(await adapterText(layout)).toBe("kept");
  });

  it("tells this process from an earlier one of the same number, as every start in a container is 1", async () => {
    const { clock, layout, store } = await openStore();
    await store.save(wish, writer("kept"));
    const staging = layout.staging("s:train:0");
    await writer("half")(join(staging, `${process.pid}~earlier~1`));
    await clearLeftovers(layout, clock);
    expect(await readdir(staging)).toEqual([]);
  });

  it("keeps the sampling sessions of a running server, however long they rest", async () => {
    const { layout } = await openStore();
    const running = ownedName();
    for (const name of [running, deadOwner]) {
      await mkdir(join(layout.parked, name), { recursive: true });
      await utimes(join(layout.parked, name), 0, 0);
    }
    await clearLeftovers(layout, systemClock);
    expect(await readdir(layout.parked)).toEqual([running]);
  });

  /** Moves the checkpoint among the retired, as `owner` would on replacing it. */
  async function retire(layout: DataLayout, owner: string): Promise<void> {
    const place = join(layout.retired("s:train:0"), `${owner}~weights`);
    await mkdir(place, { recursive: true });
    await rename(layout.checkpoint("s:train:0", "weights", "step-1"), join(place, "step-1"));
  }

  it("puts a checkpoint back whose replacement never came", async () => {
    const { clock, layout, store } = await openStore();
    await store.save(wish, writer("old"));
    await retire(layout, deadOwner);
    expect(await store.list("s:train:0")).toEqual([]);
    await clearLeftovers(layout, clock);
    expect(await adapterText(layout)).toBe("old");
    expect(await readdir(layout.retired("s:train:0"))).toEqual([]);
  });

  it("leaves an old checkpoint alone that a running server is replacing", async () => {
    const { layout, store } = await openStore();
    await store.save(wish, writer("old"));
    await utimes(layout.checkpoint("s:train:0", "weights", "step-1"), 0, 0);
    const running = ownedName();
    await retire(layout, running);
    await clearLeftovers(layout, systemClock);
    expect(await readdir(layout.retired("s:train:0"))).toEqual([`${running}~weights`]);
  });

  it("drops a retired checkpoint whose replacement is there", async () => {
    const { clock, layout, store } = await openStore();
    await store.save(wish, writer("old"));
    await retire(layout, deadOwner);
    await store.save(wish, writer("new"));
    await clearLeftovers(layout, clock);
    expect(await adapterText(layout)).toBe("new");
    expect(await readdir(layout.retired("s:train:0"))).toEqual([]);
  });
});
