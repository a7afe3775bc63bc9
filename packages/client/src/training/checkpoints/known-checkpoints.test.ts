import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { CheckpointLives } from "../../session/checkpoint-lives.js";
import { until } from "../../testing/open-service.js";
import { openTraining, step } from "../../testing/open-training.js";
import type { StubService } from "../../testing/stub-service.js";
import { KnownCheckpoints } from "./known-checkpoints.js";

/** Has the service forget the model, as one that was started anew has. */
function startAnew(stub: StubService): void {
  stub.on("optim_step", () => ({ status: 404, body: { detail: "model S:train:0 not found" } }));
}

/** Answer of a service that has deleted a checkpoint, or set its time. */
const done = () => ({ status: 204, body: "" });

describe("the checkpoint that a lost session names", () => {
  it("is that of the last call, though the answer to an earlier one comes later", async () => {
    const { stub, training } = await openTraining();
    const usual = stub.usual("retrieve_future");
    let isSecondThere = false;
    stub.on("retrieve_future", async (request) => {
      if (request.json?.request_id === "r2") await until(() => isSecondThere, "the second answer");
      return usual(request);
    });
    const first = training.saveState("step-10");
    const second = await training.saveState("step-20");
    isSecondThere = true;
    await first;
    startAnew(stub);
    await expect(step(training)).rejects.toMatchObject({
      code: "session_lost",
      lastCheckpoint: second.path,
    });
  });

  it("is the newest that was not deleted", async () => {
    const { stub, service, training } = await openTraining();
    const { path } = await training.saveState("a");
    const second = await training.saveState("b");
    stub.fallback = done;
    await service.rest.deleteCheckpointFromTinkerPath(second.path);
    startAnew(stub);
    await expect(step(training)).rejects.toMatchObject({ lastCheckpoint: path });
  });

  it("is none that the service says is gone, whoever has deleted it", async () => {
    const { stub, service, training } = await openTraining();
    const { path } = await training.saveState("a");
    stub.fallback = () => ({ status: 404, body: { detail: "no checkpoint a" } });
    await expect(service.rest.deleteCheckpointFromTinkerPath(path)).rejects.toThrow("no checkpoint a");
    startAnew(stub);
    await expect(step(training)).rejects.toMatchObject({ lastCheckpoint: undefined });
  });

  it("is none that has outlived its time, given with the save or later, nor one whose time was taken back", async () => {
    const { stub, service, training, clock } = await openTraining();
    const kept = await training.saveState("a", { ttl_seconds: 60 });
    const timed = await training.saveState("b");
    await training.saveState("c", { ttl_seconds: 30 });
    stub.fallback = done;
    await service.rest.setCheckpointTtlFromTinkerPath(kept.path, null);
    await service.rest.setCheckpointTtlFromTinkerPath(timed.path, 30);
    await clock.advance(30_000);
    startAnew(stub);
    await expect(step(training)).rejects.toMatchObject({ lastCheckpoint: kept.path });
  });

  it("is one that was saved again under the name of one deleted", async () => {
    const { stub, service, training } = await openTraining();
    const { path } = await training.saveState("a");
    stub.fallback = done;
    await service.rest.deleteCheckpointFromTinkerPath(path);
    await training.saveState("a");
    startAnew(stub);
    await expect(step(training)).rejects.toMatchObject({ lastCheckpoint: path });
  });
});

describe("of more checkpoints than are remembered", () => {
  it.each(["loaded", "saved"] as const)(
    "the one that was %s without an end is known once all later ones have ended",
    async (how) => {
      const clock = new FakeClock({ startMs: 1_800_000_000_000 });
      const known = new KnownCheckpoints(new CheckpointLives(clock));
      if (how === "loaded") known.loaded("tinker://a/weights/base", 0);
      else known.saved("tinker://a/weights/base", 0, undefined);
      for (let step = 1; step <= 300; step += 1) known.saved(`tinker://a/weights/${step}`, step, 3600);
      expect(known.latest).toBe("tinker://a/weights/300");
      await clock.advance(3_600_000);
      expect(known.latest).toBe("tinker://a/weights/base");
    },
  );

  it("those without an end are forgotten from the oldest on, and those that have ended before them", () => {
    const lives = new CheckpointLives(new FakeClock({ startMs: 1_800_000_000_000 }));
    const known = new KnownCheckpoints(lives);
    for (let step = 0; step < 64; step += 1) known.saved(`tinker://a/weights/${step}`, step, undefined);
    lives.ended("tinker://a/weights/5");
    known.saved("tinker://a/weights/64", 64, undefined);
    for (let step = 64; step > 0; step -= 1) lives.ended(`tinker://a/weights/${step}`);
    // The one that had ended went, and not the oldest.
    expect(known.latest).toBe("tinker://a/weights/0");
  });
});
