import { deferred, silentLogger } from "@tinkex/base";
import { FakeClock, settle } from "@tinkex/base/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { IdleAdapters, MAX_IDLE_MS } from "./idle-adapters.js";
import type { AdapterSnapshot } from "./recoverable-engine.js";

/** For what happens in real time, on a machine of any speed. */
const PATIENCE = { timeout: 15_000 };

const snapshot = (value: number): AdapterSnapshot => ({
  parameters: {
    shape: { rank: 1, trainAttention: true, trainMlp: false, trainUnembedding: false },
    pairs: [
      { module: "m", dIn: 1, dOut: 1, a: Float32Array.of(value, 0.1), b: Float32Array.of(Number.NaN, -0) },
    ],
  },
  gradients: [{ a: Float32Array.of(value / 3), b: new Float32Array(1) }],
});

/** Adapters of an engine and files of a disk, in memory both, and what was done with them. */
function setUp(keep: (state: Uint8Array) => Promise<void> = async () => {}) {
  const clock = new FakeClock({ startMs: 1_800_000_000_000 });
  const memory = new Map<string, AdapterSnapshot>();
  const disk = new Map<string, Uint8Array>();
  const log: string[] = [];
  const idle = new IdleAdapters({
    clock,
    logger: silentLogger,
    store: {
      async keep(state) {
        log.push("keep");
        await keep(state);
        const name = `${log.length}`;
        disk.set(name, state);
        return name;
      },
      fetch: async (name) => disk.get(name) ?? expect.fail(`no file ${name}`),
      remove: async (name) => void disk.delete(name),
      close: async () => disk.clear(),
    },
    copy: (adapterId) => memory.get(adapterId),
    drop: async (adapterId) => {
      log.push(`drop ${adapterId}`);
      memory.delete(adapterId);
    },
    restore: async (adapterId, state) => {
      log.push(`restore ${adapterId}`);
      memory.set(adapterId, state);
    },
  });
  onTestFinished(() => idle.close());
  /** Lets minutes pass, in which nobody uses anything. */
  const wait = async (ms = MAX_IDLE_MS) => {
    await expect.poll(() => clock.sleepingInBackground, PATIENCE).toBe(1);
    for (let passed = 0; passed < ms; passed += 60_000) {
      await clock.advance(60_000);
      await settle();
    }
  };
  const create = (adapterId: string, value: number) =>
    idle.use([adapterId], async () => void memory.set(adapterId, snapshot(value)));
  return { idle, memory, disk, log, wait, create };
}

describe("adapters that nobody uses", () => {
  it("leave memory after minutes, and are there as they were at the next call", async () => {
    const { idle, memory, disk, wait, create, log } = setUp();
    await create("a", 1.5);
    await create("b", 2);
    await wait(MAX_IDLE_MS - 60_000);
    await idle.use(["b"], async () => {});
    expect([...memory.keys()]).toEqual(["a", "b"]);
    await wait(60_000);
    await expect.poll(() => [...memory.keys()], PATIENCE).toEqual(["b"]);
    expect(disk.size).toBe(1);
    expect(await idle.use(["a", "b"], async () => [...memory.keys()].sort())).toEqual(["a", "b"]);
    expect(memory.get("a")).toEqual(snapshot(1.5));
    expect(disk.size).toBe(0);
    expect(log).toEqual(["keep", "drop a", "restore a"]);
  });

  it("stay while a call to them is under way, however long it takes, and where one comes just then", async () => {
    const gate = deferred<void>();
    const { idle, memory, disk, wait, create, log } = setUp(() => gate.promise);
    await create("a", 1);
    await create("b", 2);
    const sampled = deferred<void>();
    const sampling = idle.use(["a"], () => sampled.promise);
    await wait();
    await expect.poll(() => log, PATIENCE).toEqual(["keep"]);
    let begun = false;
    const used = idle.use(["b"], async () => {
      begun = true;
    });
    await settle();
    // Until it is known whether it stays.
    expect(begun).toBe(false);
    gate.resolve();
    await used;
    sampled.resolve();
    await sampling;
    expect([...memory.keys()]).toEqual(["a", "b"]);
    expect(disk.size).toBe(0);
  });

  it("stay where they cannot be kept, as on a full disk, and are tried again", async () => {
    let isFull = true;
    const { memory, wait, create, log } = setUp(async () => {
      if (isFull) throw new Error("ENOSPC");
    });
    await create("a", 1);
    await wait();
    await expect.poll(() => log, PATIENCE).toEqual(["keep"]);
    expect(memory.has("a")).toBe(true);
    isFull = false;
    await wait(60_000);
    await expect.poll(() => memory.has("a"), PATIENCE).toBe(false);
  });

  it("are forgotten where they wait, with no trip through memory", async () => {
    const { idle, disk, wait, create, log } = setUp();
    await create("a", 1);
    await create("b", 2);
    const release = async () => void log.push("release");
    await idle.forget("b", release);
    await wait();
    await expect.poll(() => disk.size, PATIENCE).toBe(1);
    await Promise.all([idle.forget("a", release), idle.forget("a", release)]);
    expect(disk.size).toBe(0);
    expect(log).toEqual(["release", "keep", "drop a"]);
  });

  it("are called in the order of the calls, also where one call is to two of them", async () => {
    const { idle, create } = setUp();
    await create("a", 1);
    await create("b", 2);
    const order: number[] = [];
    const note = (call: number) => async () => void order.push(call);
    await Promise.all([
      idle.use(["a", "b"], note(0)),
      idle.use(["b"], note(1)),
      idle.forget("b", note(2)),
      idle.use(["a"], note(3)),
    ]);
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it("come back once for all calls that want them, and are let go of though one is just coming", async () => {
    const { idle, memory, disk, wait, create, log } = setUp();
    await create("a", 1);
    await create("b", 2);
    await wait();
    await expect.poll(() => memory.size, PATIENCE).toBe(0);
    const seen = await Promise.all([
      idle.use(["a", "b"], async () => memory.size),
      idle.use(["b"], async () => memory.has("b")),
      idle.use(["a"], async () => memory.has("a")),
      idle.forget("b", async () => void memory.delete("b")),
    ]);
    expect(seen.slice(1, 3)).toEqual([true, true]);
    expect(log.filter((line) => line.startsWith("restore")).sort()).toEqual(["restore a", "restore b"]);
    expect([...memory.keys()]).toEqual(["a"]);
    expect(disk.size).toBe(0);
  });
});
