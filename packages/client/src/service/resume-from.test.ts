import { describe, expect, it } from "vitest";
import { openService, throughSleeps, until } from "../testing/open-service.js";
import { openTraining, step } from "../testing/open-training.js";
import { ServiceClient } from "./service-client.js";

const PATH = "tinker://S:train:0/weights/first";

describe("resumeFrom", () => {
  it("loads weights and optimizer into a new model, which goes on in the old session", async () => {
    const { stub, service } = await openService();
    const training = await service.resumeFrom(PATH);
    expect(stub.seen("load_weights").map(({ json }) => json)).toEqual([
      expect.objectContaining({ path: PATH, optimizer: true }),
    ]);
    await step(training);
    expect(stub.seen("create_session")).toHaveLength(1);
  });

  it("goes on from the last checkpoint that an error names, in a new session where the old one is lost", async () => {
    const { stub, service, training } = await openTraining();
    const { path } = await training.saveState("first");
    stub.on("create_session", () => ({ body: { session_id: "S2" } }));
    const lost = { status: 404, body: { detail: "Session not found" } };
    for (const endpoint of ["load_weights", "create_model"]) {
      const usual = stub.usual(endpoint);
      stub.on(endpoint, (request) => (request.json?.session_id === "S" ? lost : usual(request)));
    }
    stub.script("optim_step", { status: 404, body: { detail: "Session not found" } });
    const error = await step(training).catch((cause: unknown) => cause);
    const resumed = await service.resumeFrom(error as never);
    expect(stub.seen("create_session")).toHaveLength(2);
    expect(stub.seen("load_weights").at(-1)?.json).toMatchObject({ path });
    await step(resumed);
    await expect(step(training)).rejects.toBe(error);
  });

  it("waits for a service that is away, and says so once a minute", async () => {
    const { stub, service, clock, logger } = await openService({ retry: { maxRetries: 0 } });
    stub.script("create_session", { status: 503 }, { status: 502 }, { status: 500 });
    const resumed = await throughSleeps(clock, service.resumeFrom(PATH));
    expect(resumed.modelId).toBe("S:train:3");
    const lines = logger.lines.filter((line) => line.includes("resumeFrom"));
    expect(lines).toEqual([
      expect.stringMatching(/^warn: resumeFrom: the service is away, trying again in \d+\.\d s: /),
    ]);
  });

  it("asks again when the service has forgotten the load that it accepted", async () => {
    const { stub, service, clock } = await openService();
    const usual = stub.usual("retrieve_future");
    let isFirst = true;
    stub.on("retrieve_future", (request) => {
      if (!isFirst) return usual(request);
      isFirst = false;
      return { status: 404, body: { detail: "no future r1: it was never issued" } };
    });
    await throughSleeps(clock, service.resumeFrom(PATH));
    expect(stub.seen("load_weights")).toHaveLength(2);
  });

  it("fails at once for a checkpoint that is not there, and with the last failure when patience is over", async () => {
    const { stub, service, clock } = await openService({ retry: { maxRetries: 0 } });
    stub.on("load_weights", () => ({ status: 404, body: { detail: "no such checkpoint" } }));
    stub.on("weights_info", () => ({ status: 404, body: { detail: "no such checkpoint" } }));
    stub.on("training_runs/S:train:0", () => ({ status: 404, body: { detail: "no such checkpoint" } }));
    await expect(service.resumeFrom(PATH)).rejects.toMatchObject({ code: "not_found" });
    stub.on("load_weights", () => ({ status: 503 }));
    const failed = service.resumeFrom(PATH, { patienceMs: 2_500 });
    await expect(throughSleeps(clock, failed)).rejects.toMatchObject({ status: 503 });
    expect(stub.seen("load_weights").length).toBeGreaterThan(2);
  });

  it("ends with its signal while it waits", async () => {
    const { stub, service, logger } = await openService({ retry: { maxRetries: 0 } });
    stub.on("create_session", () => ({ isReset: true }));
    const controller = new AbortController();
    const resumed = service.resumeFrom(PATH, { signal: controller.signal });
    await until(() => logger.lines.some((line) => line.includes("resumeFrom")), "the pause");
    controller.abort();
    await expect(resumed).rejects.toMatchObject({ code: "aborted" });
  });

  it.each([
    [5, {}, "resumeFrom: path must be a string or the error that names the last checkpoint, got a number"],
    ["tinker://S/sampler_weights/a", {}, "resumeFrom"],
    [PATH, { patienceMs: -1 }, "resumeFrom: patienceMs must be 0 or more milliseconds, got -1"],
    [PATH, { optimizer_config: {} }, "optimizer_config"],
  ])("refuses %j with %j before anything is sent", async (path, options, message) => {
    const { stub, service } = await openService();
    expect(() => service.resumeFrom(path as never, options as never)).toThrow(message);
    expect(stub.requests).toEqual([]);
  });

  it("refuses an error of a client that has no checkpoint, and says what to do", async () => {
    const { stub, service, training } = await openTraining();
    stub.script("optim_step", { status: 404, body: { detail: "Session not found" } });
    const error = await step(training).catch((cause: unknown) => cause);
    expect(() => service.resumeFrom(error as never)).toThrow("there is none to go on from; make a new model");
    expect(service).toBeInstanceOf(ServiceClient);
  });
});
