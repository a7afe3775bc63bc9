import { describe, expect, it } from "vitest";
import { SessionLostError } from "../session/session-lost-error.js";
import { datum, seqIdOf } from "../testing/examples.js";
import { throughSleeps, until } from "../testing/open-service.js";
import { openTraining, step } from "../testing/open-training.js";
import type { StubService } from "../testing/stub-service.js";
import { SequenceBrokenError } from "./sequence-broken-error.js";
import type { TrainingClient } from "./training-client.js";

const PATH = "tinker://none/weights/none";
const TRAINING = ["forward_backward", "optim_step", "load_weights"];

/** Has the service fail one piece of accepted work with its next polls. */
function failResult(
  stub: StubService,
  requestId: string,
  status: number,
  detail: string,
  isDue = () => true,
): void {
  const usual = stub.usual("retrieve_future");
  stub.on("retrieve_future", async (request) => {
    if (request.json?.request_id !== requestId) return usual(request);
    await until(isDue, "the time to say so");
    return { status, body: { detail } };
  });
}

/**
 * A service as TuFT is: it takes requests of any number, and says with the result that a number is not the next one. A load of a
 * checkpoint that is not there fails before its number is looked at.
 */
function orderStrictly(stub: StubService, isDue?: () => boolean): readonly string[] {
  const ran: string[] = [];
  let next = 1;
  for (const path of TRAINING) {
    const usual = stub.usual(path);
    stub.on(path, async (request) => {
      const reply = await usual(request);
      const { request_id: id } = reply.body as { readonly request_id: string };
      const seqId = seqIdOf(request);
      if (request.json?.path === PATH) {
        failResult(stub, id, 404, "Failed to retrieve future: Checkpoint none not found.", isDue);
      } else if (seqId !== next) {
        const conflict = `Sequence conflict: expected ${next}, got ${seqId}.`;
        failResult(stub, id, 409, `Failed to retrieve future: ${conflict}`);
      } else {
        next += 1;
        ran.push(`${path} ${seqId}`);
      }
      return reply;
    });
  }
  return ran;
}

const pass = (training: TrainingClient) => training.forwardBackward([datum(1)], "cross_entropy");

describe("work that the service accepts and then refuses for its place", () => {
  it("the operations after one that used up no number run, in their order", async () => {
    const { stub, training } = await openTraining();
    const ran = orderStrictly(stub);
    await step(training);
    await expect(training.loadState(PATH)).rejects.toThrow("Checkpoint none not found");
    await Promise.all([pass(training), step(training), pass(training)]);
    expect(ran).toEqual(["optim_step 1", "forward_backward 2", "optim_step 3", "forward_backward 4"]);
  });

  it("a whole training step runs after it, and one of many requests", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 1, parallel_fwdbwd_chunks: false });
    const ran = orderStrictly(stub);
    await expect(training.loadState(PATH)).rejects.toThrow("not found");
    await training.trainStep([datum(1), datum(2)], "cross_entropy");
    expect(ran).toEqual(["forward_backward 1", "forward_backward 2", "optim_step 3"]);
  });

  it("those that were on their way fail, and the next ones run", async () => {
    const { stub, training } = await openTraining();
    const ran = orderStrictly(stub, () => stub.seen("optim_step").length > 0);
    const all = await Promise.allSettled([training.loadState(PATH), pass(training), step(training)]);
    expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    await Promise.all([pass(training), step(training)]);
    expect(ran).toEqual(["forward_backward 1", "optim_step 2"]);
  });

  it("elsewhere the number counts as used, and the next operation waits for nobody once one was done", async () => {
    const { stub, training, clock } = await openTraining();
    failResult(stub, "r2", 400, "the loss is not finite");
    await expect(throughSleeps(clock, step(training))).rejects.toThrow("the loss is not finite");
    await Promise.all([step(training), step(training)]);
    expect(stub.seen("optim_step").map(seqIdOf)).toEqual([1, 2, 3]);
  });

  it("a conflict about something else changes no number", async () => {
    const { stub, training } = await openTraining();
    failResult(stub, "r2", 409, "a checkpoint of this name exists");
    await expect(training.saveState("first")).rejects.toThrow("exists");
    await step(training);
    expect(stub.seen("optim_step").map(seqIdOf)).toEqual([2]);
  });
});

describe("work whose model the service no longer has", () => {
  it.each([
    [400, "Model S:train:0 not loaded (likely stale request from previous server)"],
    [404, "Failed to retrieve future: Unknown model: S:train:0"],
    [404, "model S:train:0 not found"],
  ])("names the last checkpoint, and the client takes no more (%d %s)", async (status, detail) => {
    const { stub, training, clock } = await openTraining();
    const { path } = await training.saveState("first");
    failResult(stub, "r3", status, detail);
    const error = await throughSleeps(clock, step(training)).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(SessionLostError);
    expect(error).toMatchObject({ lastCheckpoint: path, cause: { status } });
    await expect(step(training)).rejects.toBe(error);
    expect(stub.seen("optim_step")).toHaveLength(1);
  });

  it.each([
    "Checkpoint S:train:0/none not found.",
    "Checkpoint 'none' of model S:train:0 in weights not found",
    "adapter for model S:train:0: file not loaded",
  ])("is told from work that fails for another reason (%s)", async (detail) => {
    const { stub, training } = await openTraining();
    failResult(stub, "r2", 404, detail);
    await expect(step(training)).rejects.not.toBeInstanceOf(SessionLostError);
    await step(training);
    expect(stub.seen("optim_step")).toHaveLength(2);
  });
});

describe("work that waits while the service is started anew", () => {
  const forgotten = {
    status: 404,
    body: { detail: "no future r9: it was never issued, or by an earlier run" },
  };
  const noSession = { status: 404, body: { detail: "no session S: open one with create_session" } };
  const CALLS: readonly (readonly [string, (training: TrainingClient) => Promise<unknown>])[] = [
    ["forwardBackward", pass],
    ["trainStep", (training) => training.trainStep([datum(1)], "cross_entropy")],
    ["optimStep", step],
    ["saveState", (training) => training.saveState("second")],
    ["loadState", (training) => training.loadState(PATH)],
  ];

  it.each(CALLS)("%s names the last checkpoint, and so does what comes after it", async (_, call) => {
    const { stub, service, training } = await openTraining();
    const { path } = await training.saveState("first");
    stub.on("retrieve_future", () => forgotten);
    stub.on("session_heartbeat", () => noSession);
    const error = await call(training).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(SessionLostError);
    expect(error).toMatchObject({ lastCheckpoint: path, cause: { status: 404 } });
    await expect(step(training)).rejects.toMatchObject({ code: "session_lost", lastCheckpoint: path });
    await service.createSamplingClient({ base_model: "b" });
    expect(stub.seen("create_session")).toHaveLength(2);
  });

  it("asks for the session once for all that waits", async () => {
    const { stub, training } = await openTraining();
    stub.on("session_heartbeat", () => noSession);
    let held = 0;
    stub.on("retrieve_future", async () => {
      held += 1;
      await until(() => held >= 3, "three polls");
      return forgotten;
    });
    const all = await Promise.allSettled([pass(training), pass(training), step(training)]);
    for (const each of all) expect(each).toMatchObject({ reason: { code: "session_lost" } });
    expect(stub.seen("session_heartbeat")).toHaveLength(1);
  });

  it("goes on with the same model where the service still knows the session", async () => {
    const { stub, training } = await openTraining();
    stub.script("retrieve_future", { status: 410, body: { detail: "expired" } });
    await expect(step(training)).rejects.toMatchObject({ code: "gone" });
    await step(training);
    expect(stub.seen("session_heartbeat")).toHaveLength(1);
  });

  it("is in doubt where the service says nothing of the session either, and names the last checkpoint", async () => {
    const { stub, training, clock } = await openTraining();
    const { path } = await training.saveState("first");
    stub.script("retrieve_future", forgotten);
    stub.on("session_heartbeat", () => ({ status: 503 }));
    const error = await throughSleeps(clock, step(training)).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(SequenceBrokenError);
    expect(error).toMatchObject({ lastCheckpoint: path, sequenceIds: [2] });
    await expect(step(training)).rejects.toBe(error);
  });
});
