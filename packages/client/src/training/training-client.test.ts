import {
  AbortedError,
  ApiStatusError,
  ClosedError,
  RequestFailedError,
  ValidationError,
} from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { type Deferred, deferred } from "../future/deferred.js";
import { SequenceBrokenError } from "../queue/sequence-broken-error.js";
import { datum, datums, readPass, seqIdOf } from "../testing/examples.js";
import { openService, pauseForSockets, until } from "../testing/open-service.js";
import type { Reply, StubService } from "../testing/stub-service.js";
import type { TrainingClient } from "./training-client.js";

async function openTraining(config: object = {}) {
  const open = await openService();
  open.stub.on("client/config", () => ({ body: config }));
  const training = await open.service.createLoraTrainingClient({ base_model: "b" });
  return { ...open, training };
}

/** The sequence ids of the model's requests, in the order of arrival. */
function sequence(stub: StubService): number[] {
  const paths = [
    "forward_backward",
    "forward",
    "optim_step",
    "save_weights",
    "save_weights_for_sampler",
    "load_weights",
  ];
  return stub.requests.filter(({ path }) => paths.includes(path)).map(seqIdOf);
}

/** Ends all steps of a list in parallel, and tells what became of each. */
function outcomes(...steps: readonly PromiseLike<unknown>[]): Promise<string[]> {
  return Promise.all(
    steps.map((step) =>
      step.then(
        () => "ok",
        (error: unknown) => (error as Error).constructor.name,
      ),
    ),
  );
}

const step = (training: TrainingClient) => training.optimStep({ learning_rate: 1e-4 });

describe("order and turns", () => {
  it("clients 15 and BR-053: submits the next operation when the last was accepted, not when it is done", async () => {
    const { stub, training } = await openTraining();
    const accepted = deferred<Reply>();
    const usual = stub.usual("forward_backward");
    stub.on("forward_backward", async (request) => {
      await accepted.promise;
      return usual(request);
    });
    stub.on("retrieve_future", () => new Promise(() => {}));
    training.forwardBackward([datum(1)], "cross_entropy");
    const second = step(training);
    await pauseForSockets();
    expect(sequence(stub)).toEqual([1]);
    accepted.resolve({});
    await second.submitted;
    expect(sequence(stub)).toEqual([1, 2]);
  });

  it("clients 16 and BR-055: sends the chunks of a call together, the first one last", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 2 });
    const gates = new Map<number, Deferred<void>>();
    const usual = stub.usual("forward_backward");
    stub.on("forward_backward", async (request) => {
      const gate = deferred<void>();
      gates.set(seqIdOf(request), gate);
      await gate.promise;
      return usual(request);
    });
    const open = async (...ids: number[]): Promise<void> => {
      await until(() => ids.every((id) => gates.has(id)), `the requests ${ids}`);
      await pauseForSockets();
      for (const id of ids) gates.get(id)?.resolve();
    };
    const backward = training.forwardBackward(datums(7), "cross_entropy");
    const forward = training.forward(datums(3), "cross_entropy");
    const optim = step(training);
    await until(() => gates.size === 3, "three requests at once");
    await pauseForSockets();
    expect([...gates.keys()].sort()).toEqual([2, 3, 4]);
    await open(4, 3, 2);
    await open(1);
    await open(6);
    await open(5);
    const result = await backward;
    await Promise.all([forward, optim]);
    expect(sequence(stub).slice(3)).toEqual([1, 6, 5, 7]);
    // Outputs come in the order of the data, whatever the order of arrival.
    expect(result.loss_fn_outputs.map(({ logprobs }) => Number(logprobs?.data[0]))).toEqual([
      -0, -1, -2, -3, -4, -5, -6,
    ]);
    expect(result.metrics["loss:sum"]).toBe(7);
  });

  it("clients 17: sends chunks one after another where the server wants that", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 2, parallel_fwdbwd_chunks: false });
    await training.forwardBackward(datums(7), "cross_entropy");
    expect(sequence(stub)).toEqual([1, 2, 3, 4]);
  });

  it("clients 18: keeps the order of the calls when a save for a sampler is among them", async () => {
    const { stub, training } = await openTraining();
    const calls: PromiseLike<unknown>[] = [];
    for (let index = 0; index < 50; index += 1) {
      calls.push(training.saveWeightsForSampler(`s${index}`), step(training));
    }
    await Promise.all(calls);
    expect(stub.requests.filter(({ json }) => json?.seq_id !== undefined).map(({ path }) => path)).toEqual(
      Array.from({ length: 100 }, (_, index) =>
        index % 2 === 0 ? "save_weights_for_sampler" : "optim_step",
      ),
    );
    expect(sequence(stub)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  it("clients 19: is broken when a part of a call was accepted and a part was not, and never hangs", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 2 });
    const usual = stub.usual("forward_backward");
    stub.on("forward_backward", (request) =>
      seqIdOf(request) === 3 ? { status: 422, body: { detail: "bad datum" } } : usual(request),
    );
    const pass = training.forwardBackward(datums(6), "cross_entropy");
    const waiting = step(training);
    await expect(pass).rejects.toMatchObject({ code: "unprocessable" });
    const error = await waiting.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(SequenceBrokenError);
    expect(error).toMatchObject({ code: "sequence_broken", sequenceIds: [1, 3], cause: { status: 422 } });
    await expect(step(training)).rejects.toBe(error);
    expect(stub.trace).not.toContain("optim_step");
  });

  it("clients 20 and BR-022: goes on with the next id after a request that was refused whole", async () => {
    const { stub, training } = await openTraining();
    stub.script("forward_backward", { status: 422, body: { detail: "bad datum" } });
    const calls = [
      training.forwardBackward([datum(1)], "cross_entropy"),
      training.forwardBackward([datum(1)], "cross_entropy"),
      step(training),
    ];
    expect(await outcomes(...calls)).toEqual(["ApiStatusError", "ok", "ok"]);
    expect(sequence(stub)).toEqual([1, 2, 3]);
  });

  it("gives back the ids of chunks that were never sent", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 1, parallel_fwdbwd_chunks: false });
    stub.script("forward_backward", { status: 422, body: { detail: "bad datum" } });
    const calls = [training.forwardBackward(datums(3), "cross_entropy"), step(training)];
    expect(await outcomes(...calls)).toEqual(["ApiStatusError", "ok"]);
    expect(sequence(stub)).toEqual([1, 2]);
  });

  it("clients 21: an operation aborted in the queue leaves no gap", async () => {
    const { stub, training } = await openTraining();
    const gate = deferred<void>();
    const usual = stub.usual("forward_backward");
    stub.on("forward_backward", async (request) => {
      await gate.promise;
      return usual(request);
    });
    const first = training.forwardBackward([datum(1)], "cross_entropy");
    const controller = new AbortController();
    const second = training.forwardBackward([datum(2)], "cross_entropy", undefined, {
      signal: controller.signal,
    });
    const third = step(training);
    await until(() => sequence(stub).length === 1, "the first request");
    controller.abort();
    await expect(second).rejects.toBeInstanceOf(AbortedError);
    gate.resolve();
    await Promise.all([first, third]);
    expect(sequence(stub)).toEqual([1, 2]);
  });

  it("BR-022: an operation aborted while it is sent rejects at once, and its request still arrives", async () => {
    const { stub, training } = await openTraining();
    const gate = deferred<void>();
    const usual = stub.usual("forward_backward");
    stub.on("forward_backward", async (request) => {
      await gate.promise;
      return usual(request);
    });
    const controller = new AbortController();
    const first = training.forwardBackward([datum(1)], "cross_entropy", undefined, {
      signal: controller.signal,
    });
    const second = step(training);
    await until(() => sequence(stub).length === 1, "the request");
    controller.abort();
    await expect(first).rejects.toThrow(/being sent; the service may still run it/);
    gate.resolve();
    await second;
    expect(sequence(stub)).toEqual([1, 2]);
  });

  it("clients 22: repeats a request under the same id and the same key, and holds the later ones back", async () => {
    const { stub, training, clock } = await openTraining();
    stub.script("optim_step", { status: 500, body: {} }, { reset: true });
    const first = step(training);
    const second = training.saveState("x");
    for (const tries of [1, 2]) {
      await until(() => stub.seen("optim_step").length === tries, `try ${tries}`);
      await pauseForSockets();
      await clock.advance(5_000);
    }
    await Promise.all([first, second]);
    expect(sequence(stub)).toEqual([1, 1, 1, 2]);
    expect(new Set(stub.seen("optim_step").map(({ headers }) => headers["x-idempotency-key"])).size).toBe(1);
  });

  it("clients 23: numbers the operations of each client on their own", async () => {
    const { stub, training, service } = await openTraining();
    const other = await service.createLoraTrainingClient({ base_model: "b" });
    await Promise.all([step(training), step(other), step(training)]);
    const ids = stub.seen("optim_step").map(({ json }) => [json?.model_id, json?.seq_id]);
    expect(ids.filter(([model]) => model === "S:train:0")).toEqual([
      ["S:train:0", 1],
      ["S:train:0", 2],
    ]);
    expect(ids.filter(([model]) => model === "S:train:1")).toEqual([["S:train:1", 1]]);
  });

  it("clients 24: refuses bad data at the call, with no id used", async () => {
    const { stub, training } = await openTraining();
    expect(() => training.forwardBackward([], "cross_entropy")).toThrow("no data provided");
    const bad = { model_input: [1], loss_fn_inputs: { target_tokens: [1.5] } };
    expect(() => training.forwardBackward([datum(1), bad], "cross_entropy")).toThrow(
      "data[1].loss_fn_inputs.target_tokens[0]: expected an integer, got 1.5",
    );
    expect(() =>
      training.forwardBackward([{ ...datum(1), model_input: [2 ** 40] }], "cross_entropy"),
    ).toThrow(ValidationError);
    expect(() => training.forwardBackward([datum(1)], "cross" as "ppo")).toThrow(/cross_entropy/);
    expect(() => training.forwardBackward([datum(1)], "ppo", undefined, { timeoutMs: -1 })).toThrow(
      /timeoutMs/,
    );
    await step(training);
    expect(sequence(stub)).toEqual([1]);
  });

  it("gives back the id of a request that cannot be written", async () => {
    const { stub, training } = await openTraining();
    const image = {
      model_input: { chunks: [{ location: "x", format: "png" as const }] },
      loss_fn_inputs: { target_tokens: [1] },
    };
    const calls = [training.forwardBackward([image], "cross_entropy"), step(training)];
    expect(await outcomes(...calls)).toEqual(["ValidationError", "ok"]);
    expect(sequence(stub)).toEqual([1]);
  });

  it("clients 25: awaits results in any order", async () => {
    const { stub, training } = await openTraining();
    const gate = deferred<void>();
    const usual = stub.usual("retrieve_future");
    stub.on("retrieve_future", async (request) => {
      if (request.headers["x-tinker-request-type"] === "ForwardBackward") await gate.promise;
      return usual(request);
    });
    const first = training.forwardBackward([datum(1)], "cross_entropy");
    await step(training);
    gate.resolve();
    await first;
  });
});

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
    const output = await training.forward([datum(3)], "ppo", { clip_low_threshold: 0.8 });
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
      expect(() => training.saveState("x", { ttl_seconds })).toThrow(/ttl_seconds/);
    }
    expect(() => training.saveState("a/b")).toThrow(/without slashes/);
    expect(() => training.saveWeightsForSampler("x", {}, { onConflict: "overwrite" as "error" })).toThrow(
      /must be one of error, reuse/,
    );
  });

  it("clients 53: an unnamed save gives a sampling client without a further request", async () => {
    const { stub, training, service, clock } = await openTraining();
    await service.createSamplingClient({ base_model: "b" });
    stub.script("save_weights_for_sampler", { status: 500, body: {} }, { status: 500, body: {} });
    const future = training.saveWeightsAndGetSamplingClient();
    for (const tries of [1, 2]) {
      await until(() => stub.seen("save_weights_for_sampler").length === tries, `try ${tries}`);
      await pauseForSockets();
      await clock.advance(5_000);
    }
    const sampler = await future;
    expect(sampler.samplingSessionId).toBe("S:sample:1");
    expect(sampler.baseModel).toBe("base");
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

describe("conflicts of saves", () => {
  const taken: Reply = { status: 409, body: { detail: "already exists" } };

  it("clients 52: fails at once, or takes what is there", async () => {
    const { stub, training } = await openTraining();
    stub.script("save_weights", taken, taken);
    await expect(training.saveState("ck")).rejects.toMatchObject({ code: "conflict" });
    const reused = await training.saveState("ck", {}, { onConflict: "reuse" });
    expect(reused.path).toBe("tinker://S:train:0/weights/ck");
    stub.script("save_weights_for_sampler", taken);
    const sampler = await training.saveWeightsForSampler("ck", {}, { onConflict: "reuse" });
    expect(sampler.path).toBe("tinker://S:train:0/sampler_weights/ck");
  });

  it("sends `overwrite` for the wish to replace", async () => {
    const { stub, training } = await openTraining();
    await training.saveState("ck", {}, { onConflict: "overwrite" });
    expect(stub.seen("save_weights")[0]?.json).toMatchObject({ overwrite: true });
  });

  it.each<[string, Reply]>([
    ["a lost connection", { reset: true }],
    ["a server error", { status: 500, body: {} }],
  ])("BR-075: a conflict that follows %s is our own success", async (_name, lost) => {
    const { stub, training, clock } = await openTraining();
    stub.script("save_weights", lost, taken);
    const saving = training.saveState("c1");
    await until(() => stub.seen("save_weights").length === 1, "the first try");
    await pauseForSockets();
    await clock.advance(5_000);
    expect(await saving).toEqual({ path: "tinker://S:train:0/weights/c1" });
  });

  it("a conflict that follows a refusal is no success of ours", async () => {
    const { stub, training, clock } = await openTraining();
    stub.script("save_weights", { status: 429, body: {} }, taken);
    const saving = training.saveState("c1").catch((error: unknown) => error);
    await until(() => stub.seen("save_weights").length === 1, "the first try");
    await pauseForSockets();
    await clock.advance(5_000);
    expect(await saving).toMatchObject({ code: "conflict" });
  });
});

describe("results", () => {
  it("clients 63 and BR-007: tells whose fault failed work is", async () => {
    const { stub, training } = await openTraining();
    for (const [category, expected] of [
      ["user", "user"],
      ["server", "server"],
      ["weird", "unknown"],
      [undefined, "unknown"],
    ]) {
      stub.script("retrieve_future", { body: { error: "worker lost", category } });
      const error = await step(training).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(RequestFailedError);
      expect(error).toMatchObject({ category: expected, requestId: expect.stringMatching(/^r\d+$/) });
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
      message: expect.stringMatching(/OptimStep.*no longer knows it/),
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
