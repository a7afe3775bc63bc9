import { queryObjects } from "node:v8";
import { Mutex } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { datum, datums, seqIdOf } from "../testing/examples.js";
import { openService, pauseForSockets } from "../testing/open-service.js";
import { openTraining, step } from "../testing/open-training.js";

describe("TrainingClient.trainStep", () => {
  it("submits both halves in a row before the first is done, and gives both results", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 2 });
    const both = training.trainStep(datums(3), "cross_entropy", { learning_rate: 0.5 });
    const behind = step(training);
    const { forwardBackward, optimStep } = await both;
    await behind;
    expect(forwardBackward.metrics["loss:sum"]).toBe(3);
    expect(optimStep.metrics).toEqual({ grad_norm: 1 });
    expect(stub.seen("optim_step").map(seqIdOf)).toEqual([3, 4]);
    expect(stub.seen("optim_step")[0]?.json).toMatchObject({ adam_params: { learning_rate: 0.5 } });
    expect([both.seqId, behind.seqId]).toEqual([1, 4]);
  });

  it("takes no step when the pass was refused, and leaves no gap", async () => {
    const { stub, training } = await openTraining();
    stub.script("forward_backward", { status: 422, body: { detail: "bad datum" } });
    const both = training.trainStep([datum(1)], "cross_entropy");
    await expect(both).rejects.toMatchObject({ code: "unprocessable" });
    expect(both.seqId).toBeUndefined();
    await step(training);
    expect(stub.seen("optim_step").map(seqIdOf)).toEqual([1]);
  });

  it.each([false, true])(
    "leaves out metrics that cannot be joined and tells of them, or fails (strict: %s)",
    async (strictMetrics) => {
      const { stub, training, logger } = await openTraining({ fwdbwd_max_chunk_len: 1 });
      stub.on("forward_backward", (request) =>
        stub.accept("ForwardBackwardOutput", {
          loss_fn_output_type: "ArrayRecord",
          loss_fn_outputs: [{}],
          metrics: seqIdOf(request) === 1 ? { "a:sum": 1, "b:sum": 2 } : { "a:sum": 3 },
        }),
      );
      const message = "metrics of a call's requests that cannot be joined: b:sum";
      const both = training.trainStep(datums(2), "cross_entropy", {}, { strictMetrics });
      if (strictMetrics) await expect(both).rejects.toThrow(message);
      else {
        expect((await both).forwardBackward.metrics).toEqual({ "a:sum": 4 });
        expect(logger.debugLines).toContain(message);
      }
    },
  );

  it("refuses parameters and data at the call", async () => {
    const { stub, training } = await openTraining();
    expect(() => training.trainStep([], "cross_entropy")).toThrow("no data provided");
    expect(() => training.trainStep([datum(1)], "cross_entropy", { learning_rate: -1 })).toThrow(
      /learning_rate/,
    );
    expect(stub.trace).not.toContain("forward_backward");
  });
});

describe("TrainingClient.saveWeightsExternal", () => {
  it("sends name, lifetime and recipients", async () => {
    const { stub, training } = await openTraining();
    const path = "tinker://S:train:0/external_weights/e";
    stub.on("save_weights_external", () =>
      stub.accept("SaveWeightsExternalResponse", { path, size_bytes: 5 }),
    );
    const options = { ttl_seconds: 60, age_encryption_recipients: ["age1x"] };
    expect(await training.saveWeightsExternal("e", options)).toMatchObject({ path, size_bytes: 5 });
    expect(stub.seen("save_weights_external")[0]?.json).toMatchObject({ ...options, path: "e", seq_id: 1 });
    expect(() => training.saveWeightsExternal("a/b")).toThrow(/without slashes/);
  });
});

describe("TrainingClient.createSamplingClient", () => {
  it("makes a sampler of saved weights in the same session", async () => {
    const { stub, training } = await openTraining();
    const { path } = await training.saveWeightsForSampler("s");
    const sampler = await training.createSamplingClient(path);
    expect(sampler.samplingSessionId).toBe("S:sample:0");
    expect(stub.seen("create_sampling_session")[0]?.json).toMatchObject({
      session_id: "S",
      model_path: path,
    });
    expect(() => training.createSamplingClient("weights/s")).toThrow(/tinker:\/\//);
  });
});

describe("TrainingClient.unload", () => {
  it("frees the model after what was called before it, and takes no more", async () => {
    const { stub, training } = await openTraining();
    stub.on("unload_model", () => stub.accept("UnloadModelResponse", { model_id: "S:train:0" }));
    const before = step(training);
    await training.unload();
    await before;
    expect(stub.trace.slice(-2)).toEqual(["optim_step", "unload_model"]);
    await expect(step(training)).rejects.toMatchObject({ code: "closed" });
  });

  it("leaves nothing of a model behind in the session, and neither does close", async () => {
    const { stub, service } = await openTraining();
    stub.on("unload_model", () => stub.accept("UnloadModelResponse", { model_id: "S:train:0" }));
    const openAndEnd = async (end: "unload" | "close"): Promise<void> => {
      const training = await service.createLoraTrainingClient({ base_model: "b" });
      await step(training);
      await training[end]();
    };
    await openAndEnd("unload");
    // Each model has one, for the turns of its operations.
    const before = queryObjects(Mutex, { format: "count" });
    for (const end of ["unload", "close", "unload", "close"] as const) await openAndEnd(end);
    expect(queryObjects(Mutex, { format: "count" })).toBe(before);
  });

  it("says that a server has no such endpoint, and the model goes on", async () => {
    const { stub, training } = await openTraining();
    stub.on("unload_model", () => ({ status: 404, body: { detail: "Unknown model S:train:0" } }));
    await expect(training.unload()).rejects.toMatchObject({ code: "session_lost" });
    stub.on("unload_model", () => ({ status: 404, body: { detail: "Not Found" } }));
    await expect(training.unload()).rejects.toMatchObject({
      code: "unsupported_by_server",
      feature: "unload_model",
    });
    await step(training);
  });
});

describe("record_stability_info", () => {
  it("where a sampler is made goes with each of its samples that does not say otherwise", async () => {
    const { stub, service, training } = await openTraining();
    const samplers = [
      await service.createSamplingClient({ base_model: "b", record_stability_info: true }),
      await training.saveWeightsAndGetSamplingClient({ record_stability_info: true }),
      await service.createSamplingClient({ base_model: "b" }),
    ];
    const params = { prompt: [1], sampling_params: { max_tokens: 1 } };
    for (const sampler of samplers) await sampler.sample(params);
    await samplers[0]?.sample({ ...params, record_stability_info: false });
    const sent = stub.seen("asample").map(({ json }) => json?.record_stability_info === true);
    expect(sent).toEqual([true, true, false, false]);
  });
});

describe("a pause that the service asks of one client", () => {
  const params = { prompt: [1], sampling_params: { max_tokens: 1 } };

  it.each([
    ["is kept by another of the same address and key", {}, true],
    ["does not concern one with another key", { apiKey: "tml-other" }, false],
  ])("of 20 s %s", async (_, options, isShared) => {
    const { stub, service, clock } = await openService();
    const other = await openService({ clock, baseUrl: stub.url, ...options });
    const first = await service.createSamplingClient({ base_model: "b" });
    const second = await other.service.createSamplingClient({ base_model: "b" });
    stub.script("asample", { status: 429, headers: { "retry-after": "20" } });
    const sample = first.sample(params);
    sample.catch(() => {});
    while (!clock.sleeps.some((ms) => ms >= 20_000)) await pauseForSockets();
    const later = second.sample(params);
    later.catch(() => {});
    await pauseForSockets();
    await pauseForSockets();
    expect(stub.seen("asample")).toHaveLength(isShared ? 1 : 2);
    const both = Promise.all([sample, later]);
    for (let isOver = false; !isOver; ) {
      await clock.advance(21_000);
      isOver = await Promise.race([both.then(() => true), pauseForSockets().then(() => false)]);
    }
    expect(stub.seen("asample")).toHaveLength(3);
  });
});
