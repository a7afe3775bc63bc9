import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CheckpointRecord } from "./checkpoint-record.js";
import { ExpiryWatch } from "./expiry-watch.js";

const PATIENCE = { timeout: 15_000 };
const START_MS = 1_800_000_000_000;

const record = (name: string, afterMs: number | undefined): CheckpointRecord => ({
  training_run_id: "run",
  kind: "weights",
  name,
  base_model: "m",
  shape: { rank: 1, trainAttention: true, trainMlp: true, trainUnembedding: true },
  size_bytes: 1,
  has_optimizer: false,
  created_at: new Date(START_MS).toISOString(),
  expires_at: afterMs === undefined ? undefined : new Date(START_MS + afterMs).toISOString(),
});

function watch() {
  const clock = new FakeClock({ startMs: START_MS });
  const looked: string[] = [];
  const expiries = new ExpiryWatch(clock, {
    look: async ({ name }) => {
      looked.push(name);
      return undefined;
    },
    onFailure: (_, error) => {
      throw error;
    },
  });
  onTestFinished(() => expiries.close());
  return { clock, looked, expiries };
}

describe("a watch of what expires", () => {
  it("knows the next among more checkpoints than a call may have arguments", async () => {
    const { clock, looked, expiries } = watch();
    const later = record("later", 3_600_000);
    for (let index = 0; index < 130_000; index += 1) expiries.note({ ...later, name: `${index}` });
    expiries.note(record("next", 1_000));
    expiries.start();
    await expect.poll(() => clock.backgroundSleeps.length, PATIENCE).toBe(1);
    expect(clock.backgroundSleeps).toEqual([1_000]);
    await clock.advance(1_000);
    await expect.poll(() => looked, PATIENCE).toEqual(["next"]);
  });

  it("sleeps for nothing where nothing expires, and begins with the first that does", async () => {
    const { clock, looked, expiries } = watch();
    expiries.note(record("kept", undefined));
    expiries.start();
    expect(clock.backgroundSleeps).toEqual([]);
    expiries.note(record("a", 500));
    await expect.poll(() => clock.backgroundSleeps, PATIENCE).toEqual([500]);
    await clock.advance(500);
    await expect.poll(() => looked, PATIENCE).toEqual(["a"]);
  });

  it("forgets no end for what was found before it was given one", async () => {
    const { clock, looked, expiries } = watch();
    expiries.note(record("a", 500));
    expiries.found(record("a", undefined));
    expiries.note(record("b", 600));
    expiries.found(record("b", 90_000));
    expiries.start();
    await clock.advance(600);
    await expect.poll(() => looked, PATIENCE).toEqual(["a", "b"]);
  });

  it("looks at the end that was found as well, though another one is known", async () => {
    const { clock, looked, expiries } = watch();
    expiries.note(record("a", 90_000));
    expiries.found(record("a", 500));
    expiries.found(record("new", 700));
    expiries.start();
    await clock.advance(700);
    await expect.poll(() => looked, PATIENCE).toEqual(["a", "new"]);
  });
});
