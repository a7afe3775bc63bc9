import { describe, expect, it } from "vitest";
import { throughSleeps } from "../../testing/open-service.js";
import { openTraining } from "../../testing/open-training.js";

describe("bodies of saves", () => {
  it("newest-clients 23: say overwrite, metadata only where there are some, and the kind only where it is another", async () => {
    const { stub, training } = await openTraining();
    await training.saveState("a");
    await training.saveState("b", { user_metadata: { k: "v" } });
    const [plain, described] = stub.seen("save_weights").map(({ json }) => json);
    expect(plain).toMatchObject({ overwrite: false });
    expect(plain).not.toHaveProperty("user_metadata");
    expect(described).toMatchObject({ overwrite: false, user_metadata: { k: "v" } });
    await training.saveWeightsForSampler("s", { user_metadata: { k: "v" } });
    await training.saveWeightsAndGetSamplingClient({ kind: "inflight" });
    const [named, inflight] = stub.seen("save_weights_for_sampler").map(({ json }) => json);
    expect(named).toMatchObject({ user_metadata: { k: "v" } });
    expect(named).not.toHaveProperty("kind");
    expect(inflight).toMatchObject({ kind: "inflight" });
  });

  it("newest-clients 23: an export names its recipients, polls for its own kind, and is repeated under one number and key", async () => {
    const { stub, training, clock } = await openTraining();
    const path = "tinker://S:train:0/external_weights/e";
    stub.on("save_weights_external", () => stub.accept("SaveWeightsExternalResponse", { path }));
    stub.script("save_weights_external", { status: 503, body: {} });
    const saved = await throughSleeps(
      clock,
      training.saveWeightsExternal("e", { age_encryption_recipients: ["age1x"] }),
    );
    expect(saved.path).toBe(path);
    const tries = stub.seen("save_weights_external");
    expect(tries.map(({ json }) => [json?.age_encryption_recipients, json?.seq_id])).toEqual([
      [["age1x"], 1],
      [["age1x"], 1],
    ]);
    expect(new Set(tries.map(({ headers }) => headers["x-idempotency-key"])).size).toBe(1);
    expect(stub.seen("retrieve_future").at(-1)?.headers["x-tinker-request-type"]).toBe("SaveWeightsExternal");
  });
});
