import { setTimeout as sleep } from "node:timers/promises";
import {
  lossOf,
  RequestFailedError,
  ServiceClient,
  type ServiceClientOptions,
  SessionLostError,
  type TrainingClient,
} from "@tinkex/client";
import { startTestServer, type TestServer } from "@tinkex/local/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

const data = [
  { model_input: [104, 101, 108], loss_fn_inputs: { target_tokens: [101, 108, 108], weights: [1, 1, 1] } },
];

/** Pauses that the service asks for, which a test need not wait for: after a 402, and by `Retry-After`. */
const PAUSES_MS = [5_000, 7_000];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ seed: 1, threads: 1 });
});
afterAll(() => server.close());

/** A client of the server, the pauses that it made, and the warnings that it logged. */
function connect() {
  const pausesMs: number[] = [];
  const warnings: string[] = [];
  let skippedMs = 0;
  const clock: NonNullable<ServiceClientOptions["clock"]> = {
    now: () => Date.now() + skippedMs,
    monotonic: () => performance.now() + skippedMs,
    async sleep(ms, signal, { background = false } = {}) {
      if (PAUSES_MS.includes(ms)) {
        pausesMs.push(ms);
        skippedMs += ms;
        return;
      }
      await sleep(ms, undefined, { ref: !background, ...(signal && { signal }) }).catch(() => {
        throw signal?.reason;
      });
    },
  };
  const warn = (message: string) => void warnings.push(message);
  const logger = { debug() {}, info() {}, warn, error: warn };
  const service = new ServiceClient({ baseUrl: server.url, env: {}, clock, logger, random: () => 0 });
  onTestFinished(() => service.close());
  const open = () =>
    service.createLoraTrainingClient({ base_model: server.models[0]?.name ?? "", rank: 2, seed: 7 });
  return { service, open, pausesMs, warnings };
}

/** Three pipelined steps and a pass. Resolves with their losses. */
async function train(training: TrainingClient): Promise<(number | undefined)[]> {
  const passes = [];
  for (let step = 0; step < 3; step += 1) {
    passes.push(training.forwardBackward(data, "cross_entropy"));
    training.optimStep({ learning_rate: 0.01 }).catch(() => {});
  }
  passes.push(training.forward(data, "cross_entropy"));
  return (await Promise.all(passes)).map((pass) => lossOf(pass)?.value);
}

/** Requests to train a model, in the order of their arrival, without those that were sent again. */
function orderOf(modelId: string): (number | undefined)[] {
  return server.requests
    .filter(
      ({ modelId: id, sequenceId, status }) => id === modelId && sequenceId !== undefined && status === 200,
    )
    .map(({ sequenceId }) => sequenceId);
}

describe("the client on a server with faults", () => {
  it("trains to the same losses through refusals, lost answers and cut polls, with each step taken once", async () => {
    const undisturbed = await train(await connect().open());
    const { open } = connect();
    const training = await open();
    const { modelId } = training;
    const isMine = ({ modelId: id }: { readonly modelId: string | undefined }) => id === modelId;
    server.addFault({ endpoint: "forward_backward", when: isMine, nth: 2, times: 2, status: 503 });
    server.addFault({ endpoint: "optim_step", when: isMine, disconnect: "after" });
    server.addFault({ endpoint: "optim_step", when: isMine, nth: 3, disconnect: "before" });
    server.addFault({ future: "optim_step", when: isMine, nth: 2, status: 500 });
    server.addFault({ future: "forward_backward", when: isMine, disconnect: "after" });
    expect(await train(training)).toEqual(undisturbed);
    const met = server.requests.filter(({ fault }) => fault?.when === isMine);
    expect(met.length).toBeGreaterThanOrEqual(5);
    expect([...orderOf(modelId)].sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("pauses where the account has no money, and as long as it is told to, and goes on", async () => {
    const { open, pausesMs, warnings } = connect();
    const training = await open();
    const isMine = ({ modelId }: { readonly modelId: string | undefined }) => modelId === training.modelId;
    server.addFault({ endpoint: "optim_step", when: isMine, status: 402, detail: "no credit" });
    server.addFault({ endpoint: "optim_step", when: isMine, nth: 2, status: 429, retryAfterSeconds: 7 });
    expect(await training.optimStep({ learning_rate: 0.01 })).toHaveProperty("metrics");
    expect(pausesMs).toEqual([5_000, 7_000]);
    expect(warnings).toEqual([expect.stringContaining("no credit")]);
    const statuses = server
      .requestsTo("optim_step")
      .filter(isMine)
      .map(({ status }) => status);
    expect(statuses).toEqual([402, 429, 200]);
  });

  it("tells its program why the service does not work on an operation", async () => {
    const training = await connect().open();
    server.addFault({
      future: "optim_step",
      when: ({ modelId }) => modelId === training.modelId,
      queueState: "paused_capacity",
      reason: "no accelerator is free",
    });
    const step = training.optimStep({ learning_rate: 0.01 });
    const states: unknown[] = [];
    step.on("queueState", ({ state, reason }) => void states.push({ state, reason }));
    await step;
    expect(states).toContainEqual({ state: "paused_capacity", reason: "no accelerator is free" });
  });

  it("fails one operation with the reason, and takes those behind it", async () => {
    const training = await connect().open();
    const isMine = ({ modelId }: { readonly modelId: string | undefined }) => modelId === training.modelId;
    server.addFault({ future: "optim_step", when: isMine, fail: "the accelerator is gone" });
    const failed = training.optimStep({ learning_rate: 0.01 });
    const behind = training.optimStep({ learning_rate: 0.01 });
    await expect(failed).rejects.toThrow(RequestFailedError);
    await expect(failed).rejects.toThrow("the accelerator is gone");
    expect(await behind).toMatchObject({ metrics: { "step:max": 1 } });
  });

  it("samples again where a result is gone", async () => {
    const { service } = connect();
    const sampler = await service.createSamplingClient({ base_model: server.models[0]?.name ?? "" });
    const before = server.requestsTo("asample").length;
    server.addFault({ future: "asample", expire: true });
    const { sequences } = await sampler.sample({
      prompt: [104, 101],
      sampling_params: { max_tokens: 2, seed: 3 },
    });
    expect(sequences[0]?.tokens).toHaveLength(2);
    expect(
      server
        .requestsTo("asample")
        .slice(before)
        .map(({ status }) => status),
    ).toEqual([200, 200]);
  });

  it("says that a session is lost, with the checkpoint to go on from", async () => {
    const { open } = connect();
    const training = await open();
    const { path } = await training.saveState("before");
    server.addFault({
      endpoint: "optim_step",
      when: ({ modelId }) => modelId === training.modelId,
      loseSession: true,
    });
    const lost = training.optimStep({ learning_rate: 0.01 }).catch((error: unknown) => error);
    expect(await lost).toBeInstanceOf(SessionLostError);
    expect(await lost).toMatchObject({ lastCheckpoint: path });
    expect(await (await open()).optimStep({ learning_rate: 0.01 })).toHaveProperty("metrics");
  });
});
