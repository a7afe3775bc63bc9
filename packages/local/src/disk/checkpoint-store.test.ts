import { cp, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deferred, silentLogger } from "@tinkex/base";
import { FakeClock, settle } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { CheckpointStore, type SaveCheckpoint } from "./checkpoint-store.js";
import { recoverFromCrash } from "./crash-recovery.js";
import { DataLayout } from "./data-layout.js";
import { OwnedFolder } from "./owned-folder.js";
import { RecordReader } from "./record-reader.js";
import { RunStore } from "./run-store.js";

/** For what happens in real time, on a machine of any speed. */
const PATIENCE = { timeout: 15_000 };

const wish: SaveCheckpoint = {
  training_run_id: "s:train:0",
  kind: "weights",
  name: "step-1",
  base_model: "tiny",
  shape: { rank: 4, trainAttention: true, trainMlp: true, trainUnembedding: false },
  has_optimizer: true,
  mayOverwrite: false,
};

async function openStore() {
  const clock = new FakeClock({ startMs: 1_800_000_000_000 });
  const layout = new DataLayout(temporaryDirectory());
  const reader = new RecordReader(layout.root, silentLogger);
  return { clock, layout, reader, store: new CheckpointStore(layout, clock, reader) };
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
  return readFile(join(layout.checkpoint(wish), "adapter"), "utf8");
}

describe("CheckpointStore", () => {
  it("gives back what was saved, also to a later start on the same directory", async () => {
    const { clock, layout, reader, store } = await openStore();
    const saved = await store.save({ ...wish, user_metadata: { a: "b" } }, writer("12345"));
    expect(saved).toMatchObject({
      name: "step-1",
      size_bytes: 5,
      user_metadata: { a: "b" },
      created_at: "2027-01-15T08:00:00.000Z",
    });
    const restarted = new CheckpointStore(layout, clock, reader);
    expect(await restarted.read("s:train:0", "weights", "step-1")).toEqual(saved);
    expect(await restarted.listAll()).toEqual([saved]);
    expect(await readdir(layout.staging("s:train:0"))).toEqual([]);
  });

  it("keeps all of several changes at once, whatever each of them has read before", async () => {
    const { layout, reader, clock, store } = await openStore();
    const saved = await store.save(wish, writer("1"));
    await Promise.all([
      store.update(saved, { isPublic: true }),
      store.update(saved, { ttlSeconds: 60 }),
      store.save({ ...wish, name: "step-2" }, writer("2")),
    ]);
    const restarted = new CheckpointStore(layout, clock, reader);
    expect(await restarted.read("s:train:0", "weights", "step-1")).toMatchObject({
      is_public: true,
      expires_at: "2027-01-15T08:01:00.000Z",
    });
  });

  it("removes at its end what was given one while the first look at everything was under way", async () => {
    const { clock, layout, store } = await openStore();
    const saved = await store.save(wish, writer("1"));
    const seen = deferred<void>();
    const gate = deferred<void>();
    /** Holds what it has read first. */
    class SlowReader extends RecordReader {
      #reads = 0;
      override async read(...args: Parameters<RecordReader["read"]>): Promise<never> {
        const record = await super.read(...args);
        this.#reads += 1;
        if (this.#reads === 1) {
          seen.resolve();
          await gate.promise;
        }
        return record as never;
      }
    }
    const restarted = new CheckpointStore(layout, clock, new SlowReader(layout.root, silentLogger));
    restarted.watchExpiry();
    await seen.promise;
    await restarted.update(saved, { ttlSeconds: 60 });
    gate.resolve();
    await expect.poll(() => clock.backgroundSleeps, PATIENCE).toEqual([60_000]);
    await settle();
    await clock.advance(60_000);
    const names = () => readdir(layout.checkpoints(wish.training_run_id, "weights"));
    await expect.poll(names, PATIENCE).toEqual([]);
    await restarted.close();
  });

  it("does not change a checkpoint that is deleted, or replaced, at the same time into what it was before", async () => {
    const { layout, store } = await openStore();
    const saved = await store.save(wish, writer("1"));
    const deleting = store.delete(saved);
    await expect(store.update(saved, { isPublic: true })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining("is gone"),
    });
    await deleting;
    expect(await readdir(layout.checkpoints("s:train:0", "weights"))).toEqual([]);

    const first = await store.save(wish, writer("1"));
    const replacing = store.save({ ...wish, mayOverwrite: true }, async (directory) => {
      await writer("12345")(directory);
      return 5;
    });
    await Promise.all([replacing, store.update(first, { isPublic: true })]);
    expect(await adapterText(layout)).toBe("12345");
    expect(await store.read("s:train:0", "weights", "step-1")).toMatchObject({ size_bytes: 5 });
  });

  it.each([
    [
      "replaced",
      (store: CheckpointStore) => store.save({ ...wish, mayOverwrite: true }, writer("new")),
      "new",
    ],
    ["deleted", (store: CheckpointStore) => store.delete(wish), undefined],
    ["expired", (store: CheckpointStore) => store.read("s:train:0", "weights", "step-1"), undefined],
  ])("is not %s while somebody reads its files, and is so right after", async (_, change, after) => {
    const { clock, layout, store } = await openStore();
    const saved = await store.save({ ...wish, ttlSeconds: 60 }, writer("old"));
    const begun = deferred<void>();
    const read = deferred<void>();
    const reading = store.withFiles(saved, async (directory) => {
      const texts = [await readFile(join(directory, "adapter"), "utf8")];
      begun.resolve();
      await read.promise;
      texts.push(await readFile(join(directory, "adapter"), "utf8"));
      return texts;
    });
    await begun.promise;
    await clock.advance(60_000);
    const changing = change(store);
    // Takes as long as a change that does not wait.
    await store.save({ ...wish, name: "other" }, writer("other"));
    await store.delete({ ...wish, name: "other" });
    read.resolve();
    expect(await reading).toEqual(["old", "old"]);
    await changing;
    expect(await adapterText(layout).catch(() => undefined)).toBe(after);
    const again = store.withFiles(saved, (directory) => readFile(join(directory, "adapter"), "utf8"));
    if (after !== undefined) expect(await again).toBe(after);
    else
      await expect(again).rejects.toMatchObject({ status: 404, message: expect.stringContaining("is gone") });
  });

  it("takes no checkpoint for an expired one that it has replaced", async () => {
    const { clock, layout, store } = await openStore();
    for (let round = 0; round < 16; round += 1) {
      await store.save({ ...wish, mayOverwrite: true, ttlSeconds: 1 }, writer("old"));
      await clock.advance(1_000);
      // A reader sees that the time is over, at one moment or another of a save that takes the place.
      const saving = store.save({ ...wish, mayOverwrite: true }, writer("new"));
      for (let turn = 0; turn < round; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
      await Promise.all([saving, store.listAll()]);
      expect(await store.read("s:train:0", "weights", "step-1"), `round ${round}`).toMatchObject({
        size_bytes: 3,
        has_optimizer: true,
      });
      expect(await adapterText(layout)).toBe("new");
    }
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
    await store.save({ ...wish, mayOverwrite: true }, writer("third"));
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
    await expect(store.save({ ...wish, mayOverwrite: true }, torn)).rejects.toThrow("disk full");
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
    const longest = { ...wish, name: "x".repeat(255), mayOverwrite: true };
    await store.save(longest, writer("first"));
    expect(await store.save(longest, writer("second"))).toMatchObject({ size_bytes: 6 });
  });

  it("says so when a checkpoint cannot be removed, and removes nothing for one that is not there", async () => {
    const { layout, store } = await openStore();
    await store.save(wish, writer("kept"));
    for (const name of ["not-there", "..", "x".repeat(300)]) await store.delete({ ...wish, name });
    await rename(layout.staging("s:train:0"), join(layout.root, "moved"));
    await writeFile(layout.staging("s:train:0"), "a file in its place");
    await expect(store.delete(wish)).rejects.toThrow(/staging must be a directory, got a file/);
    expect(await adapterText(layout)).toBe("kept");
  });

  it("writes no record that it would not read again", async () => {
    const { layout, store } = await openStore();
    const user_metadata = { note: "x".repeat(5 * 2 ** 20) };
    await expect(store.save({ ...wish, user_metadata }, writer("x"))).rejects.toMatchObject({
      category: "user",
      message: expect.stringContaining("user_metadata must leave its record at most 4194304 bytes"),
    });
    expect(await readdir(layout.staging("s:train:0"))).toEqual([]);
  });

  it("lists more checkpoints than it reads at one time", async () => {
    const { layout, store } = await openStore();
    await store.save(wish, writer("x"));
    const record = await readFile(join(layout.checkpoint(wish), "checkpoint.json"), "utf8");
    for (let number = 2; number <= 150; number++) {
      const folder = layout.checkpoint({ ...wish, name: `step-${number}` });
      await mkdir(folder);
      await writeFile(join(folder, "checkpoint.json"), record.replace("step-1", `step-${number}`));
    }
    expect(await store.list("s:train:0")).toHaveLength(150);
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
    const { layout, reader, store } = await openStore();
    await store.save(wish, writer("kept"));
    for (const name of ["%E0%A4%A", ".DS_Store", "with space"]) await mkdir(join(layout.runs, name));
    await mkdir(join(layout.checkpoints("s:train:0", "weights"), "empty"));
    await recoverFromCrash(layout, reader);
    expect((await store.listAll()).map(({ name }) => name)).toEqual(["step-1"]);
    expect(await new RunStore(layout, reader).list()).toEqual([]);
  });
});

describe("recoverFromCrash", () => {
  it("removes what a killed server was saving, and what belonged to its sampling sessions", async () => {
    const { layout, reader, store } = await openStore();
    await store.save(wish, writer("kept"));
    for (const parent of [layout.staging("s:train:0"), layout.parked]) {
      const folder = OwnedFolder.named(parent);
      await folder.make(layout.root);
      await writer("half")(join(folder.path, "x"));
    }
    await recoverFromCrash(layout, reader);
    expect(await readdir(layout.staging("s:train:0"))).toEqual([]);
    expect(await readdir(layout.parked)).toEqual([]);
    expect(await adapterText(layout)).toBe("kept");
  });

  it("removes a folder that a killed server had only just made", async () => {
    const { layout, reader, store } = await openStore();
    await store.save(wish, writer("kept"));
    await mkdir(OwnedFolder.named(layout.staging("s:train:0")).path);
    await recoverFromCrash(layout, reader);
    expect(await readdir(layout.staging("s:train:0"))).toEqual([]);
  });

  it("leaves what bears the name without the mark, the mark without the name, or both behind a link", async () => {
    const { layout, reader, store } = await openStore();
    await store.save(wish, writer("kept"));
    const staging = layout.staging("s:train:0");
    const [unmarked, marked, elsewhere] = [staging, staging, layout.root].map((parent) =>
      OwnedFolder.named(parent),
    );
    await writer("mine")(unmarked?.path ?? "");
    await marked?.make(layout.root);
    await elsewhere?.make(layout.root);
    await writer("mine")(join(marked?.path ?? "", "x"));
    await writer("mine")(join(elsewhere?.path ?? "", "x"));
    await rename(marked?.path ?? "", join(staging, "notes"));
    await symlink(elsewhere?.path ?? "", OwnedFolder.named(staging).path);
    const before = (await readdir(layout.root, { recursive: true })).sort();
    await recoverFromCrash(layout, reader);
    expect((await readdir(layout.root, { recursive: true })).sort()).toEqual(before);
  });

  /** Moves the checkpoint among the retired, as a server would on replacing it. */
  async function retire(layout: DataLayout): Promise<string> {
    const retirement = OwnedFolder.named(layout.retired("s:train:0"), "weights");
    await retirement.make(layout.root);
    const retired = join(retirement.path, "step-1");
    await rename(layout.checkpoint(wish), retired);
    return retired;
  }

  it("removes a record that a killed server was replacing, and nothing that is called otherwise", async () => {
    const { layout, reader, store } = await openStore();
    await store.save(wish, writer("1"));
    const id = "01234567-89ab-cdef-0123-456789abcdef";
    const folder = layout.checkpoint(wish);
    await writeFile(join(folder, `checkpoint.json.${id}.part`), "{");
    await writeFile(join(layout.run("s:train:0"), `run.json.${id}.part`), "{");
    const others = [`notes.${id}.part`, `checkpoint.json.${id}`, "checkpoint.json.mine.part"];
    for (const name of others) await writeFile(join(folder, name), "mine");
    await recoverFromCrash(layout, reader);
    expect((await readdir(folder)).sort()).toEqual(["adapter", "checkpoint.json", ...others].sort());
    expect(await readdir(layout.run("s:train:0"))).not.toContain(`run.json.${id}.part`);
  });

  it("puts a checkpoint back whose replacement never came", async () => {
    const { layout, reader, store } = await openStore();
    await store.save(wish, writer("old"));
    await retire(layout);
    expect(await store.list("s:train:0")).toEqual([]);
    await recoverFromCrash(layout, reader);
    expect(await adapterText(layout)).toBe("old");
    expect(await readdir(layout.retired("s:train:0"))).toEqual([]);
  });

  it("drops a retired checkpoint whose replacement is there", async () => {
    const { layout, reader, store } = await openStore();
    await store.save(wish, writer("old"));
    await retire(layout);
    await store.save(wish, writer("new"));
    await recoverFromCrash(layout, reader);
    expect(await adapterText(layout)).toBe("new");
    expect(await readdir(layout.retired("s:train:0"))).toEqual([]);
  });

  it("keeps a retired checkpoint when what is in its place is none", async () => {
    const { layout, reader, store } = await openStore();
    await store.save(wish, writer("old"));
    const retired = await retire(layout);
    await writer("mine")(layout.checkpoint(wish));
    await recoverFromCrash(layout, reader);
    expect(await adapterText(layout)).toBe("mine");
    expect(await readdir(retired)).toContain("adapter");
  });

  it("keeps what was put beside a retired checkpoint", async () => {
    const { layout, reader, store } = await openStore();
    await store.save(wish, writer("old"));
    const retired = await retire(layout);
    await cp(retired, `${retired}-backup`, { recursive: true });
    await recoverFromCrash(layout, reader);
    expect(await adapterText(layout)).toBe("old");
    expect(await readdir(`${retired}-backup`)).toContain("adapter");
  });
});
