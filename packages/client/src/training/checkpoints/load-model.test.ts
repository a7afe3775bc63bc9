import { describe, expect, it, vi } from "vitest";
import { openService } from "../../testing/open-service.js";
import { openTraining } from "../../testing/open-training.js";

const path = "tinker://R/weights/a";

describe("making a model from a checkpoint", () => {
  it("newest-clients 16, clients 12: one request makes and loads it; its next request is the first", async () => {
    const { stub, service } = await openService();
    const training = await service.createTrainingClientFromState(path, {
      base_model: "B2",
      user_metadata: { q: "1" },
      optimizer_config: { type: "dimuon", version: 1 },
      weights_access_token: "tok",
    });
    expect(training.modelId).toBe("S:train:0");
    expect(stub.seen("load_weights")[0]?.json).toEqual({
      session_id: "S",
      model_seq_id: 0,
      base_model: "B2",
      user_metadata: { q: "1" },
      path,
      optimizer: false,
      optimizer_config: { type: "dimuon", version: 1 },
      weights_access_token: "tok",
      type: "load_weights",
    });
    await training.optimStep();
    expect(stub.seen("optim_step")[0]?.json?.seq_id).toBe(1);
    const withOptimizer = await service.createTrainingClientFromStateWithOptimizer(path);
    expect(withOptimizer.modelId).toBe("S:train:1");
    expect(stub.seen("load_weights")[1]?.json).toEqual({
      session_id: "S",
      model_seq_id: 1,
      path,
      optimizer: true,
      type: "load_weights",
    });
    expect(stub.trace).not.toContain("weights_info");
    expect(stub.seen("get_info")).toHaveLength(2);
  });

  it.each([400, 404, 422])(
    "clients 11: asks what the checkpoint holds where that is refused with %i",
    async (status) => {
      const { stub, service } = await openService();
      const usual = stub.usual("load_weights");
      stub.on("load_weights", (request) =>
        request.json?.model_id === undefined
          ? { status, body: { detail: "model_id is missing" } }
          : usual(request),
      );
      stub.on("weights_info", () => ({
        body: {
          base_model: "base",
          is_lora: true,
          lora_rank: 16,
          train_unembed: null,
          train_mlp: false,
          train_attn: true,
        },
      }));
      const training = await service.createTrainingClientFromStateWithOptimizer(path);
      expect(stub.seen("weights_info")[0]?.json).toEqual({ tinker_path: path });
      expect(stub.seen("create_model")[0]?.json).toEqual({
        session_id: "S",
        model_seq_id: 0,
        base_model: "base",
        lora_config: { rank: 16, train_unembed: true, train_mlp: false, train_attn: true },
        type: "create_model",
      });
      expect(stub.seen("load_weights")[1]?.json).toEqual({
        model_id: "S:train:0",
        seq_id: 1,
        path,
        optimizer: true,
        type: "load_weights",
      });
      await training.optimStep();
      expect(stub.seen("optim_step")[0]?.json?.seq_id).toBe(2);
    },
  );

  it("clients 13: refuses a checkpoint without an adapter before a model is made", async () => {
    const { stub, service } = await openService();
    stub.on("load_weights", () => ({ status: 422, body: {} }));
    for (const info of [{ is_lora: false, lora_rank: 16 }, { is_lora: true }]) {
      stub.on("weights_info", () => ({ body: { base_model: "base", ...info } }));
      await expect(service.createTrainingClientFromState(path)).rejects.toThrow(/holds no LoRA adapter/);
    }
    expect(stub.trace).not.toContain("create_model");
  });

  it("gives the server's error when no way works", async () => {
    const { stub, service } = await openService();
    stub.on("load_weights", () => ({ status: 404, body: { detail: "no checkpoint a" } }));
    stub.on("weights_info", () => ({ status: 404, body: { detail: "no checkpoint a" } }));
    await expect(service.createTrainingClientFromState(path)).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("no checkpoint a"),
    });
  });

  it("does not try another way after a failure that is no refusal", async () => {
    const { stub, service } = await openService();
    stub.on("load_weights", () => ({ status: 403, body: { detail: "not yours" } }));
    await expect(service.createTrainingClientFromState(path)).rejects.toMatchObject({
      code: "permission_denied",
    });
    expect(stub.trace).not.toContain("weights_info");
  });

  it("frees the model again that the checkpoint could not be loaded into, and makes no second one", async () => {
    const { stub, service } = await openService();
    stub.on("weights_info", () => ({ body: { base_model: "base", is_lora: true, lora_rank: 16 } }));
    stub.on("load_weights", (request) => ({
      status: 404,
      body: { detail: request.json?.model_id === undefined ? "model_id is missing" : "no such checkpoint" },
    }));
    await expect(service.createTrainingClientFromState(path)).rejects.toThrow("no such checkpoint");
    await vi.waitFor(() =>
      expect(stub.seen("unload_model").map(({ json }) => json?.model_id)).toEqual(["S:train:0"]),
    );
    expect(stub.seen("create_model")).toHaveLength(1);
    expect(stub.seen("get_training_run")).toHaveLength(0);
    await service.close();
    expect(stub.seen("unload_model")).toHaveLength(1);
  });

  it("BR-072: says what is wrong with a path that cannot be trained from", async () => {
    const { service } = await openService();
    expect(() => service.createTrainingClientFromState("tinker://r/sampler_weights/a")).toThrow(
      /is a sampler checkpoint and cannot be trained from/,
    );
    expect(() => service.createTrainingClientFromState("weights/a")).toThrow(/must start with tinker:\/\//);
  });

  it("servers of the 0.4 generation are asked what the run was", async () => {
    const { stub, service } = await openService();
    stub.on("client/config", () => ({ status: 404, body: {} }));
    stub.on("training_runs/R", () => ({
      body: {
        training_run_id: "R",
        base_model: "base",
        model_owner: "o",
        is_lora: true,
        lora_rank: 16,
        last_request_time: "2026-08-01T13:30:00Z",
        user_metadata: { renderer: "qwen3", run: "a" },
      },
    }));
    await service.createTrainingClientFromState(path, { user_metadata: { run: "b" } });
    expect(stub.trace).toEqual([
      "client/config",
      "create_session",
      "training_runs/R",
      "create_model",
      "load_weights",
      "get_info",
    ]);
    expect(stub.seen("create_model")[0]?.json).toEqual({
      session_id: "S",
      model_seq_id: 0,
      base_model: "base",
      user_metadata: { renderer: "qwen3", run: "b" },
      lora_config: { rank: 16, train_unembed: true, train_mlp: true, train_attn: true },
    });
    expect(stub.seen("load_weights")[0]?.json).toEqual({ model_id: "S:train:0", seq_id: 1, path });
  });
});

describe("loading weights into a model that has done something", () => {
  it("is refused by the service, and the error says how to go on from a checkpoint", async () => {
    const { stub, training } = await openTraining();
    const detail = "LoadWeights is not permitted with seq_id 9";
    const tooLate = { status: 400, body: { detail } };
    stub.script("load_weights", tooLate, tooLate, { status: 400, body: { detail: "no" } });
    await expect(training.loadState(path)).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringMatching(/seq_id 9; .*createTrainingClientFromState\(path\) makes a new one/),
    });
    await expect(training.loadStateWithOptimizer(path)).rejects.toThrow(
      /createTrainingClientFromStateWithOptimizer\(path\) makes a new one/,
    );
    await expect(training.loadState(path)).rejects.toThrow(/Bad Request: no$/);
  });
});
