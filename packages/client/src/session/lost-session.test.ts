import { lossGraph } from "@tinkex/tensor/loss-graph";
import { describe, expect, it } from "vitest";
import { datum } from "../testing/examples.js";
import { openService, throughSleeps, until } from "../testing/open-service.js";
import { openTraining, step } from "../testing/open-training.js";
import type { StubService } from "../testing/stub-service.js";
import { SessionLostError } from "./session-lost-error.js";

const nll = lossGraph("nll", { logprobs: 1, weights: 1 }, ({ logprobs, weights }) => ({
  loss: logprobs.mul(weights).sum().neg(),
}));

/** The service starts anew: it knows the second session that it opens, and nothing of the first. */
function restart(stub: StubService, detail = "Session not found"): void {
  const lost = { status: 404, body: { detail } };
  stub.on("create_session", () => ({ body: { session_id: "S2" } }));
  for (const path of ["create_model", "create_sampling_session", "session_heartbeat", "optim_step"]) {
    const usual = stub.usual(path);
    let isFirst = true;
    stub.on(path, (request) => {
      const isOld = request.json?.session_id === "S" || (path === "optim_step" && isFirst);
      if (path === "optim_step") isFirst = false;
      return isOld ? lost : usual(request);
    });
  }
}

describe("a session that the service no longer knows", () => {
  it("is an error of its own that names the last checkpoint, and the client takes no more", async () => {
    const { stub, training } = await openTraining();
    const { path } = await training.saveState("first");
    restart(stub);
    const failed = step(training);
    const behind = training.forwardBackward([datum(1)], "cross_entropy");
    behind.catch(() => {});
    const error = await failed.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(SessionLostError);
    expect(error).toMatchObject({ code: "session_lost", lastCheckpoint: path, cause: { status: 404 } });
    expect((error as Error).message).toContain(path);
    expect((error as Error).message).not.toContain("TINKER_BASE_URL");
    await expect(behind).rejects.toBe(error);
    await expect(step(training)).rejects.toBe(error);
  });

  it("is told as a loss by createSamplingClient of its training client", async () => {
    const path = "create_sampling_session";
    const { stub, training } = await openTraining();
    const { path: checkpoint } = await training.saveState("first");
    stub.on(path, () => ({ status: 404, body: { detail: "Session not found" } }));
    const call = () => training.createSamplingClient("tinker://S:train:0/sampler_weights/a");
    // Another thing that is missing, as long as the service knows the session.
    await expect(call()).rejects.toMatchObject({ code: "not_found" });
    restart(stub);
    stub.on(path, () => ({ status: 404, body: { detail: "Session not found" } }));
    await expect(call()).rejects.toMatchObject({ code: "session_lost", lastCheckpoint: checkpoint });
    await expect(step(training)).rejects.toMatchObject({ code: "session_lost" });
  });

  it("makes room for a new one at the next creation", async () => {
    const { stub, service } = await openTraining();
    restart(stub);
    await service.createLoraTrainingClient({ base_model: "b" });
    expect(stub.seen("create_model").map(({ json }) => json?.session_id)).toEqual(["S", "S", "S2"]);
    await service.createSamplingClient({ base_model: "b" });
    expect(stub.seen("create_session")).toHaveLength(2);
  });

  it.each([
    ["createLoraTrainingClient", "create_model"],
    ["createTrainingClientFromState", "load_weights"],
    ["createSamplingClient", "create_sampling_session"],
    ["createCustomLoss", "create_custom_loss"],
  ] as const)("is a loss of the session also where %s loses two in a row", async (method, path) => {
    const { stub, service } = await openService();
    stub.on("client/config", () => ({ body: { custom_loss_server_side: true } }));
    let count = 0;
    stub.on("create_session", () => {
      count += 1;
      return { body: { session_id: `S${count}` } };
    });
    stub.on(path, () => ({ status: 404, body: { detail: "Session not found" } }));
    const checkpoint = "tinker://a/weights/b";
    const made: PromiseLike<unknown> = {
      createLoraTrainingClient: () => service.createLoraTrainingClient({ base_model: "b" }),
      createTrainingClientFromState: () => service.createTrainingClientFromState(checkpoint),
      createSamplingClient: () => service.createSamplingClient({ base_model: "b" }),
      createCustomLoss: () => service.createCustomLoss(nll),
    }[method]();
    const error = await Promise.resolve(made).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(SessionLostError);
    expect(error).toMatchObject({ code: "session_lost", cause: { status: 404 } });
    expect((error as Error).message).toMatch(/no longer knows session S2 .*; the new session was lost too/);
    expect(stub.seen(path)).toHaveLength(2);
    expect(stub.seen("create_session")).toHaveLength(2);
    // The next creation opens a third session.
    stub.on("create_sampling_session", () => ({ body: { sampling_session_id: "S3:sample:0" } }));
    await service.createSamplingClient({ base_model: "b" });
    expect(stub.seen("create_session")).toHaveLength(3);
  });

  it.each(["Session not found", "no session S: open one with create_session"])(
    "is noticed by its heartbeat (%s)",
    async (detail) => {
      const { stub, service, training, clock, logger } = await openTraining();
      restart(stub, detail);
      await clock.advance(10_000);
      await until(() => logger.lines.length > 0, "the line");
      expect(logger.lines).toEqual([
        expect.stringMatching(/^warn: the service no longer knows session S; its heartbeat stops/),
      ]);
      await expect(step(training)).rejects.toMatchObject({ code: "session_lost", lastCheckpoint: undefined });
      expect(stub.seen("optim_step")).toEqual([]);
      await service.createSamplingClient({ base_model: "b" });
      expect(stub.seen("create_session")).toHaveLength(2);
    },
  );

  it.each([
    ["sample", 404, "no sampling session S:sample:0: make one with create_sampling_session"],
    ["sample", 410, "Sampler S:sample:0 has expired"],
    ["computeLogprobs", 404, "Unknown sampling session S:sample:0"],
  ] as const)(
    "%s of a sampler that went with it tells the same loss (%d %s)",
    async (method, status, detail) => {
      const { stub, service, clock } = await openService();
      const sampler = await service.createSamplingClient({ base_model: "b" });
      stub.on("asample", () => ({ status, body: { detail } }));
      const prompt = [1, 2];
      const drawn: PromiseLike<unknown> =
        method === "sample"
          ? sampler.sample({ prompt, sampling_params: { max_tokens: 1 } })
          : sampler.computeLogprobs(prompt);
      const error = await throughSleeps(clock, drawn).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(SessionLostError);
      expect(error).toMatchObject({ code: "session_lost", lastCheckpoint: undefined, cause: { status } });
      expect((error as Error).message).toMatch(
        /no longer knows sampler S:sample:0 .*; make a new sampling client/,
      );
      expect(stub.seen("asample")).toHaveLength(1);
    },
  );

  it("is not what a sample fails with whose server lacks the endpoint, or has not found something else", async () => {
    const { stub, service, clock } = await openService();
    const sampler = await service.createSamplingClient({ base_model: "b" });
    for (const detail of ["Not Found", "no such tokenizer"]) {
      stub.on("asample", () => ({ status: 404, body: { detail } }));
      const drawn = sampler.sample({ prompt: [1], sampling_params: { max_tokens: 1 } });
      const error = await throughSleeps(clock, drawn).catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code: "not_found" });
    }
  });

  it("is not taken for lost when a server lacks an endpoint or a checkpoint", async () => {
    const { stub, service, training, clock } = await openTraining();
    stub.on("session_heartbeat", () => ({ status: 404, body: { detail: "Not Found" } }));
    await clock.advance(10_000);
    await until(() => stub.seen("session_heartbeat").length === 1, "a heartbeat");
    const none = { status: 404, body: { detail: "no such checkpoint" } };
    stub.on("load_weights", () => none);
    const path = "tinker://S:train:0/weights/none";
    await expect(training.loadState(path)).rejects.toMatchObject({ code: "not_found" });
    stub.on("create_sampling_session", () => none);
    const sampler = service.createSamplingClient({ model_path: path });
    await expect(sampler).rejects.toMatchObject({ code: "not_found" });
    await step(training);
    expect(stub.seen("create_session")).toHaveLength(1);
  });
});

describe("a model on a service that does not end sessions", () => {
  it.each([404, 405])("is unloaded by close() where finishing is answered %i", async (status) => {
    const { stub, service, training } = await openTraining();
    await service.createLoraTrainingClient({ base_model: "b" });
    stub.on("unload_model", () => stub.accept("UnloadModelResponse", { model_id: "S:train:0" }));
    stub.on("sessions/S/finish", () => ({ status, body: { detail: "Not Found" } }));
    await training.unload();
    await service.close();
    expect(stub.seen("unload_model").map(({ json }) => json?.model_id)).toEqual(["S:train:0", "S:train:1"]);
  });

  it("is left to the service that ends sessions", async () => {
    const { stub, service } = await openTraining();
    await service.close();
    expect(stub.trace.at(-1)).toBe("sessions/S/finish");
  });
});

it("says that a model is made of another base than was asked for", async () => {
  const { stub, service, logger } = await openTraining();
  stub.on("get_info", ({ json }) => ({
    body: { model_id: json?.model_id, model_data: { model_name: "other/model" } },
  }));
  await service.createLoraTrainingClient({ base_model: "b" });
  expect(logger.lines).toEqual([
    "warn: the service has made S:train:1 of other/model, where b was asked for",
  ]);
});
