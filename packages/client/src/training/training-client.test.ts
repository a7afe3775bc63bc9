import { ApiStatusError, ClosedError, RequestFailedError, ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { datum, readPass } from "../testing/examples.js";
import { sleepThrough } from "../testing/open-service.js";
import { openTraining, step } from "../testing/open-training.js";

describe("bodies", () => {
  it("clients 50: fills in all six Adam fields", async () => {
    const { stub, training } = await openTraining();
    expect(await training.optimStep({ learning_rate: 1e-4 })).toEqual({ metrics: { grad_norm: 1 } });
    expect(stub.seen("optim_step")[0]?.json).toEqual({
      adam_params: {
        learning_rate: 1e-4,
        beta1: 0.9,
        beta2: 0.95,
        eps: 1e-12,
        weight_decay: 0,
        grad_clip_norm: 0,
      },
      model_id: "S:train:0",
      seq_id: 1,
      type: "optim_step",
    });
  });

  it("newest-clients 21: sends other optimizers in their own field, and checks them", async () => {
    const { stub, training } = await openTraining();
    await training.optimStep({ type: "dimuon", learning_rate: 0.1, grad_clip_norm: 0, beta1: 0.9 });
    expect(stub.seen("optim_step")[0]?.json).toEqual({
      optimizer_params: { type: "dimuon", learning_rate: 0.1, grad_clip_norm: 0, beta1: 0.9 },
      model_id: "S:train:0",
      seq_id: 1,
      type: "optim_step",
    });
    for (const learning_rate of [-1, Number.NaN]) {
      expect(() => training.optimStep({ type: "dimuon", learning_rate })).toThrow(ValidationError);
    }
    expect(() => training.optimStep({ learning_rate: Number.NaN })).toThrow(ValidationError);
    expect(() => training.optimStep({ lr: 1 } as object)).toThrow(ValidationError);
  });

  it("BR-043: sends passes as protobuf, and the forward pass by a flag", async () => {
    const { stub, training } = await openTraining();
    const output = await training.forward([datum(3)], "cross_entropy", {
      loss_fn_config: { clip_low_threshold: 0.8 },
    });
    const [request] = stub.seen("forward_backward");
    expect(request?.headers["content-type"]).toBe("application/x-protobuf");
    expect(request && readPass(request)).toMatchObject({
      forward_only: true,
      seq_id: 1,
      model_id: "S:train:0",
    });
    expect(request && readPass(request).forward_backward_input.loss_fn_config).toEqual({
      clip_low_threshold: 0.8,
    });
    expect(output.loss_fn_outputs[0]?.logprobs).toEqual({
      data: Float32Array.of(-3, -4),
      dtype: "float32",
      shape: [2],
    });
  });

  it("clients 51: names, lifetimes and metadata of saves", async () => {
    const { stub, training } = await openTraining();
    const saved = await training.saveState("ck", {
      ttl_seconds: 60,
      overwrite: true,
      user_metadata: { k: "v" },
    });
    expect(saved.path).toBe("tinker://S:train:0/weights/ck");
    await training.saveState("ck2");
    expect(stub.seen("save_weights").map(({ json }) => json)).toEqual([
      {
        model_id: "S:train:0",
        path: "ck",
        seq_id: 1,
        ttl_seconds: 60,
        overwrite: true,
        user_metadata: { k: "v" },
        type: "save_weights",
      },
      { model_id: "S:train:0", path: "ck2", seq_id: 2, overwrite: false, type: "save_weights" },
    ]);
    const sampler = await training.saveWeightsForSampler("s");
    expect(sampler.path).toBe("tinker://S:train:0/sampler_weights/s");
    for (const ttl_seconds of [0, -1, 1.5]) {
      expect(() => training.saveState("x", { ttl_seconds })).toThrow(/^saveState: ttl_seconds/);
    }
    expect(() => training.saveState("a/b")).toThrow(/^saveState: name must be a string without slashes/);
    expect(() => training.saveWeightsForSampler("")).toThrow(/^saveWeightsForSampler: name must/);
    expect(() => training.saveWeightsForSampler("x", { onConflict: "overwrite" as "error" })).toThrow(
      /^saveWeightsForSampler: onConflict must be one of error, reuse/,
    );
  });

  it("clients 53: an unnamed save gives a sampling client without a further request", async () => {
    const { stub, training, service, clock } = await openTraining();
    await service.createSamplingClient({ base_model: "b" });
    stub.script("save_weights_for_sampler", { status: 500, body: {} }, { status: 500, body: {} });
    const future = training.saveWeightsAndGetSamplingClient();
    for (const tries of [1, 2]) await sleepThrough(clock, tries, 3_000);
    const sampler = await future;
    expect(sampler.samplingSessionId).toBe("S:sample:1");
    expect(sampler.baseModel).toBe("b");
    expect(stub.seen("create_sampling_session")).toHaveLength(1);
    const bodies = stub.seen("save_weights_for_sampler").map(({ json }) => json);
    const body = {
      model_id: "S:train:0",
      sampling_session_seq_id: 1,
      seq_id: 1,
      type: "save_weights_for_sampler",
    };
    expect(bodies).toEqual([body, body, body]);
    await training.saveWeightsAndGetSamplingClient({ kind: "inflight" });
    expect(stub.seen("save_weights_for_sampler").at(-1)?.json).toMatchObject({ kind: "inflight" });
  });

  it("clients 54: loads with and without the optimizer, and the token only when there is one", async () => {
    const { stub, training } = await openTraining();
    const path = "tinker://r/weights/a";
    await training.loadState(path);
    await training.loadStateWithOptimizer(path, { weights_access_token: "t" });
    expect(stub.seen("load_weights").map(({ json }) => json)).toEqual([
      { model_id: "S:train:0", seq_id: 1, path, optimizer: false, type: "load_weights" },
      {
        model_id: "S:train:0",
        seq_id: 2,
        path,
        optimizer: true,
        weights_access_token: "t",
        type: "load_weights",
      },
    ]);
    expect(() => training.loadState("tinker://r/sampler_weights/a")).toThrow(
      /is a sampler checkpoint and cannot be trained from: pass a path of the form tinker:\/\/<run>\/weights\/<name>/,
    );
    expect(() => training.loadState("weights/a")).toThrow(/must start with tinker:\/\//);
  });

  it("says on whose behalf a request is made, polls included", async () => {
    const { stub, training } = await openTraining();
    await step(training);
    for (const request of stub.requests.slice(-2)) {
      expect(request.headers["x-sdk-method"]).toBe("TrainingClient.optim_step");
      expect(request.headers["x-sdk-version"]).toBe("0.38.0");
    }
    expect(stub.seen("create_session")[0]?.headers["x-sdk-method"]).toBeUndefined();
    expect(stub.seen("create_model")[0]?.headers["x-sdk-method"]).toBe(
      "ServiceClient.create_lora_training_client",
    );
  });
});

describe("results", () => {
  it("clients 63 and BR-007: tells whose fault failed work is", async () => {
    const { stub, training } = await openTraining();
    for (const [category, expected, rawCategory] of [
      ["user", "user", undefined],
      ["server", "server", undefined],
      ["USER", "user", undefined],
      ["weird", "unknown", "weird"],
      ["Out_Of_Memory", "unknown", "Out_Of_Memory"],
      [undefined, "unknown", undefined],
    ]) {
      stub.script("retrieve_future", { body: { error: "worker lost", category } });
      const error = await step(training).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(RequestFailedError);
      expect(error).toMatchObject({
        category: expected,
        rawCategory,
        requestId: expect.stringMatching(/^r\d+$/),
      });
      expect((error as Error).message).toContain("worker lost");
    }
  });

  it("clients 64: takes a JSON result where protobuf was asked for, and it is the same", async () => {
    const { stub, training } = await openTraining();
    const usual = stub.usual("retrieve_future");
    const fromProtobuf = await training.forwardBackward([datum(3)], "cross_entropy");
    stub.on("retrieve_future", (request) =>
      usual({ ...request, headers: { ...request.headers, accept: "application/json" } }),
    );
    const fromJson = await training.forwardBackward([datum(3)], "cross_entropy");
    expect(stub.seen("retrieve_future").at(-1)?.headers.accept).toBe(
      "application/x-protobuf, application/json",
    );
    expect(fromJson).toEqual(fromProtobuf);
  });

  it("BR-119: says that an operation was lost with the server that knew it", async () => {
    const { stub, training } = await openTraining();
    stub.script("retrieve_future", { status: 410, body: { detail: "gone" } });
    const error = await step(training).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ApiStatusError);
    expect(error).toMatchObject({
      code: "gone",
      message: expect.stringMatching(/optimStep.*no longer knows it/),
    });
  });
});

describe("TrainingClient.close", () => {
  it("ends its own operations and takes no more; other clients go on", async () => {
    const { stub, service, training } = await openTraining();
    const other = await service.createLoraTrainingClient({ base_model: "b" });
    const usual = stub.usual("retrieve_future");
    stub.on("retrieve_future", (request) =>
      request.json?.request_id === "r3" ? new Promise(() => {}) : usual(request),
    );
    const pending = step(training);
    const outcome = pending.catch((error: unknown) => error);
    await pending.submitted;
    await training.close();
    expect(await outcome).toBeInstanceOf(ClosedError);
    expect(() => step(training)).toThrow(ClosedError);
    await step(other);
  });
});
