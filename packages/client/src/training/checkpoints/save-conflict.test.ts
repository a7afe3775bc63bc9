import { describe, expect, it } from "vitest";
import { sleepThrough, throughSleeps } from "../../testing/open-service.js";
import { openTraining } from "../../testing/open-training.js";
import type { Reply } from "../../testing/stub-service.js";

describe("conflicts of saves", () => {
  const taken: Reply = { status: 409, body: { detail: "already exists" } };

  it("clients 52: fails at once, or takes what is there", async () => {
    const { stub, training } = await openTraining();
    stub.script("save_weights", taken, taken);
    await expect(training.saveState("ck")).rejects.toMatchObject({ code: "conflict" });
    const reused = await training.saveState("ck", { onConflict: "reuse" });
    expect(reused.path).toBe("tinker://S:train:0/weights/ck");
    stub.script("save_weights_for_sampler", taken);
    const sampler = await training.saveWeightsForSampler("ck", { onConflict: "reuse" });
    expect(sampler.path).toBe("tinker://S:train:0/sampler_weights/ck");
  });

  it("takes what is there also where only the result says that the name is taken, and else says how", async () => {
    const { stub, training } = await openTraining();
    const error =
      "Checkpoint 'ck' already exists for model S:train:0 in weights. Please choose a different name.";
    stub.on("retrieve_future", () => ({ body: { error, category: "user" } }));
    const saves = ["saveState", "saveWeightsForSampler"] as const;
    for (const method of saves) {
      const reused = await training[method]("ck", { onConflict: "reuse" });
      const kind = method === "saveState" ? "weights" : "sampler_weights";
      expect(reused.path).toBe(`tinker://S:train:0/${kind}/ck`);
      await expect(training[method]("ck")).rejects.toMatchObject({
        code: "request_failed",
        message: expect.stringMatching(/already exists.*; .*onConflict: "reuse" takes it as it is$/),
      });
    }
  });

  it("names the options that mend it, and says nothing of them where the conflict is about the order", async () => {
    const { stub, training } = await openTraining();
    stub.script("save_weights", { status: 409, body: { detail: "already exists." } });
    await expect(training.saveState("ck")).rejects.toThrow(
      /already exists; overwrite: true replaces it, onConflict: "reuse" takes it/,
    );
    stub.script("save_weights_for_sampler", taken);
    await expect(training.saveWeightsForSampler("ck")).rejects.toThrow(/already exists; onConflict: "reuse"/);
  });

  it("names neither option where a service refuses to replace what it was asked to", async () => {
    const { stub, training } = await openTraining();
    for (const options of [{ overwrite: true }, { onConflict: "overwrite" }] as const) {
      stub.script("save_weights", taken);
      await expect(training.saveState("ck", options)).rejects.toThrow(
        /already exists; the service does not replace it, though overwrite was asked for; save under another name$/,
      );
    }
  });

  it("sends `overwrite` for the wish to replace", async () => {
    const { stub, training } = await openTraining();
    await training.saveState("ck", { onConflict: "overwrite" });
    expect(stub.seen("save_weights")[0]?.json).toMatchObject({ overwrite: true });
  });

  it.each<[string, Reply]>([
    ["a lost connection", { isReset: true }],
    ["a server error", { status: 500, body: {} }],
  ])("BR-075: a conflict that follows %s is our own success", async (_name, lost) => {
    const { stub, training, clock } = await openTraining();
    stub.script("save_weights", lost, taken);
    expect(await throughSleeps(clock, training.saveState("c1"))).toEqual({
      path: "tinker://S:train:0/weights/c1",
    });
  });

  it.each<[string, readonly Reply[], number]>([
    [
      "is not there yet",
      [
        { status: 404, body: { detail: "no such checkpoint" } },
        { status: 404, body: { detail: "no such checkpoint" } },
      ],
      3,
    ],
    ["is still being made", [{ status: 425, body: { detail: "still being created" } }], 2],
  ])("a save whose checkpoint %s is done when that can be read", async (_name, answers, asked) => {
    const { stub, training, clock } = await openTraining();
    stub.script("save_weights", { isReset: true }, taken);
    stub.script("weights_info", ...answers);
    const saving = training.saveState("c1");
    expect(await throughSleeps(clock, saving)).toEqual({ path: "tinker://S:train:0/weights/c1" });
    expect(stub.seen("weights_info").map(({ json }) => json?.tinker_path)).toEqual(
      Array.from({ length: asked }, () => "tinker://S:train:0/weights/c1"),
    );
    // The id of a save that was taken is not used again.
    await training.optimStep();
    expect(stub.seen("optim_step")[0]?.json?.seq_id).toBe(2);
  });

  it("a checkpoint that never comes is the conflict, after five minutes", async () => {
    const { stub, training, clock } = await openTraining();
    stub.script("save_weights", taken);
    stub.on("weights_info", () => ({ status: 404, body: { detail: "no such checkpoint" } }));
    const saving = training.saveState("c1", { onConflict: "reuse" });
    await expect(throughSleeps(clock, saving)).rejects.toMatchObject({ code: "conflict" });
    expect(clock.now()).toBeGreaterThanOrEqual(300_000);
  });

  it.each([
    ["405", { status: 405, body: "" }],
    ["the 404 of a router", { status: 404, body: { detail: "Not Found" } }],
  ])("believes a server that cannot say which checkpoints there are (%s)", async (_name, answer) => {
    const { stub, training } = await openTraining();
    stub.script("save_weights", taken);
    stub.on("weights_info", () => answer);
    expect((await training.saveState("c1", { onConflict: "reuse" })).path).toBe(
      "tinker://S:train:0/weights/c1",
    );
    await training.optimStep();
    expect(stub.seen("optim_step")[0]?.json?.seq_id).toBe(1);
  });

  it("a conflict that follows a proxy's empty 400 is no success of ours", async () => {
    const { stub, training, clock } = await openTraining();
    stub.script("save_weights", { status: 400, body: "" }, taken);
    await expect(throughSleeps(clock, training.saveState("c1"))).rejects.toMatchObject({
      code: "conflict",
      earlierTries: [{ what: "EMPTY_400" }],
    });
  });

  it("a conflict that follows a refusal is no success of ours", async () => {
    const { stub, training, clock } = await openTraining();
    stub.script("save_weights", { status: 429, body: {} }, taken);
    const saving = training.saveState("c1").catch((error: unknown) => error);
    await sleepThrough(clock, 1, 2_000);
    expect(await saving).toMatchObject({ code: "conflict" });
  });
});
