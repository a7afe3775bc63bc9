import { describe, expect, it } from "vitest";
import { openService } from "../../testing/open-service.js";
import type { StubService } from "../../testing/stub-service.js";

const path = "tinker://R/weights/a";
const TOKEN = "tml-other-account";

/** Makes the service one that cannot make a model by loading it. */
function refuseLoading(stub: StubService): void {
  const usual = stub.usual("load_weights");
  stub.on("load_weights", (request) =>
    request.json?.model_id === undefined
      ? { status: 422, body: { detail: "model_id is missing" } }
      : usual(request),
  );
}

const keysOf = (stub: StubService, endpoint: string) =>
  stub.seen(endpoint).map(({ headers }) => headers["x-api-key"]);

describe("a checkpoint of another account", () => {
  it("clients 14: is described to whoever shows its token, without a session of its own, and loaded with the token", async () => {
    const { stub, service } = await openService({ apiKey: "tml-own" });
    refuseLoading(stub);
    await service.createTrainingClientFromState(path, { weights_access_token: TOKEN });
    expect(keysOf(stub, "weights_info")).toEqual([TOKEN]);
    expect(stub.seen("create_session")).toHaveLength(1);
    expect(keysOf(stub, "create_session")).toEqual(["tml-own"]);
    expect(keysOf(stub, "create_model")).toEqual(["tml-own"]);
    expect(keysOf(stub, "load_weights")).toEqual(["tml-own", "tml-own"]);
    expect(stub.seen("load_weights")[1]?.json).toMatchObject({ path, weights_access_token: TOKEN });
  });

  it("clients 14: of a server that knows runs only is read with its token too", async () => {
    const { stub, service } = await openService({ apiKey: "tml-own" });
    stub.on("client/config", () => ({ status: 404, body: { detail: "Not Found" } }));
    stub.on("training_runs/R", () => ({
      body: {
        training_run_id: "R",
        base_model: "base",
        model_owner: "o",
        is_lora: true,
        lora_rank: 8,
        last_request_time: "2026-01-01T00:00:00Z",
      },
    }));
    await service.createTrainingClientFromState(path, { weights_access_token: TOKEN });
    expect(keysOf(stub, "training_runs/R")).toEqual([TOKEN]);
  });

  it("clients 14: without a token everything goes under the own key", async () => {
    const { stub, service } = await openService({ apiKey: "tml-own" });
    refuseLoading(stub);
    await service.createTrainingClientFromState(path);
    expect(keysOf(stub, "weights_info")).toEqual(["tml-own"]);
  });
});
