import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { AbortedError, ClosedError, type Logger, silentLogger } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { OwnedFolder } from "../disk/owned-folder.js";
import { ParkedStates } from "../disk/parked-states.js";
import type { Engine, EngineDatum, SampleTask } from "../engine/engine.js";
import { computed } from "../testing/computed.js";
import { startMortalEngine } from "../testing/mortal-engine.js";
import { createInProcessEngine } from "./in-process-engine.js";
import { SupervisedEngine } from "./supervised-engine.js";
import type { EngineThread } from "./worker-rpc-client.js";

// The worker runs the built package, which `npm test` makes first.
const directory = fileURLToPath(new URL("../../fixtures/numerics/models/tiny-llama", import.meta.url));
const options = { model: { name: "tinkex/tiny", directory }, runtime: "native", threads: 1 } as const;
const shape = { rank: 4, trainAttention: true, trainMlp: true, trainUnembedding: true };
const tokens = Int32Array.of(1, 282, 270, 206, 325, 273, 311, 360);
const datum: EngineDatum = {
  tokens,
  targets: Int32Array.of(...tokens.subarray(1), 2),
  targetsPerToken: 1,
  targetsAreMatrix: false,
  lossInputs: { weights: new Float32Array(tokens.length).fill(1) },
};
const pass = (adapterId: string, count = 1) =>
  ({
    adapterId,
    data: new Array<EngineDatum>(count).fill(datum),
    loss: "cross_entropy",
    lossConfig: {},
    forwardOnly: false,
  }) as const;
const adam = {
  learningRate: 0.01,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-12,
  weightDecay: 0,
  gradientClipNorm: 0,
};
const task: SampleTask = {
  adapterId: "sampler",
  prompt: tokens,
  sampleCount: 1,
  maxTokens: 20,
  seed: 1,
  temperature: 1,
  topK: -1,
  topP: 1,
  stopTokenIds: [],
  stopTexts: [],
  wantsPromptLogprobs: true,
  topkPromptLogprobs: 0,
};

/** Steps before the thread ends, in every state that an adapter can have. */
async function before(engine: Engine): Promise<void> {
  await engine.createAdapter("a", shape, 3);
  await engine.createAdapter("untouched", shape, 4);
  await engine.createAdapter("gone", shape, 5);
  await engine.pass(pass("a"));
  await engine.optimStep("a", adam);
  await engine.copyAdapter("a", "sampler");
  await engine.pass(pass("a", 2));
  await engine.optimStep("a", adam);
  await engine.pass(pass("a", 3));
  await engine.pass(pass("untouched"));
  await engine.releaseAdapter("gone");
}

/** Everything that a later caller can see of them. */
async function after(engine: Engine) {
  return {
    step: await engine.optimStep("a", adam),
    accumulated: await engine.optimStep("untouched", adam),
    pass: computed(await engine.pass(pass("a"))),
    sampled: await engine.sample(task),
    gone: await engine.optimStep("gone", adam).catch((error: Error) => error.message),
  };
}

describe("SupervisedEngine", () => {
  it("goes on bit for bit after its thread has ended: weights, moments, gradients and copies", {
    timeout: 60_000,
  }, async () => {
    const undisturbed = await createInProcessEngine(options);
    onTestFinished(() => undisturbed.close());
    const { engine, kill, workers, log } = await startMortalEngine(options);
    await Promise.all([before(undisturbed), before(engine)]);
    await kill();
    expect(await after(engine)).toEqual(await after(undisturbed));
    expect(workers).toHaveLength(2);
    expect(log).toEqual([
      expect.stringMatching(/engine of tinkex\/tiny: it is started again, because .*ended unexpectedly/),
      expect.stringContaining("it runs again, with 3 adapters"),
    ]);
  });

  it("goes on bit for bit with adapters that were out of memory for a time, and after its thread has ended then", {
    timeout: 60_000,
  }, async () => {
    const undisturbed = await createInProcessEngine(options);
    onTestFinished(() => undisturbed.close());
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const root = temporaryDirectory();
    const folder = OwnedFolder.named(root);
    const store = new ParkedStates(root, folder);
    const { engine, kill, log } = await startMortalEngine(options, { clock, store });
    await Promise.all([before(undisturbed), before(engine)]);
    const parked = async () => (await folder.contents().catch(() => [])).length;
    for (let minute = 0; minute < 5; minute += 1) await clock.advance(60_000);
    await expect
      .poll(() => clock.advance(60_000).then(parked), { timeout: 30_000 })
      .toBe(["a", "untouched", "sampler"].length);
    await kill();
    expect(await after(engine)).toEqual(await after(undisturbed));
    expect(log.at(-1)).toContain("it runs again, with 0 adapters");
    expect(await parked()).toBe(0);
  });

  it("puts a copy back as it was taken, and nothing of what was released, when other calls were under way beside them", {
    timeout: 60_000,
  }, async () => {
    const undisturbed = await createInProcessEngine(options);
    onTestFinished(() => undisturbed.close());
    const { engine, kill, log } = await startMortalEngine(options);
    for (const one of [undisturbed, engine]) {
      await one.createAdapter("a", shape, 3);
      await one.createAdapter("gone", shape, 4);
      await one.pass(pass("a"));
      await Promise.all([
        one.copyAdapter("a", "sampler"),
        one.optimStep("a", adam),
        one.optimStep("gone", adam),
        one.releaseAdapter("gone"),
      ]);
    }
    await kill();
    expect(await engine.sample(task)).toEqual(await undisturbed.sample(task));
    expect(log.at(-1)).toContain("it runs again, with 2 adapters");
  });

  it("fails what was under way with the reason, and does not count it as done", {
    timeout: 60_000,
  }, async () => {
    const undisturbed = await createInProcessEngine(options);
    onTestFinished(() => undisturbed.close());
    const { engine, kill } = await startMortalEngine(options);
    for (const one of [undisturbed, engine]) {
      await one.createAdapter("a", shape, 3);
      await one.pass(pass("a"));
    }
    const cut = Promise.allSettled([
      engine.pass(pass("a", 4000)),
      engine.sample({ ...task, adapterId: "a", sampleCount: 64, maxTokens: 400 }),
    ]);
    await kill();
    expect(await cut).toMatchObject([
      {
        status: "rejected",
        reason: { message: expect.stringMatching(/ended unexpectedly .*submit it again/) },
      },
      {
        status: "rejected",
        reason: { message: expect.stringMatching(/ended unexpectedly .*submit it again/) },
      },
    ]);
    expect(engine.fault).toMatch(/ended unexpectedly/);
    expect(await engine.optimStep("a", adam)).toEqual(await undisturbed.optimStep("a", adam));
    expect(engine.fault).toBeUndefined();
  });

  it("has released what it was told to when its thread ends meanwhile, and does not put it back", {
    timeout: 60_000,
  }, async () => {
    const { engine, kill, log } = await startMortalEngine(options);
    await engine.createAdapter("kept", shape, 3);
    await engine.createAdapter("gone", shape, 4);
    const cut = engine.pass(pass("gone", 4000)).catch((error: Error) => error.message);
    const released = engine.releaseAdapter("gone");
    await kill();
    await expect(released).resolves.toBeUndefined();
    expect(await cut).toMatch(/ended unexpectedly/);
    await engine.optimStep("kept", adam);
    expect(log.at(-1)).toContain("it runs again, with 1 adapters");
  });

  it("is started again where the system has no thread for a moment", { timeout: 60_000 }, async () => {
    const clock = new FakeClock({ autoAdvance: true, startMs: 1_800_000_000_000 });
    const mortal = await startMortalEngine(options, { clock, isRefused: (start) => start === 2 });
    await mortal.engine.createAdapter("a", shape, 3);
    await mortal.kill();
    await mortal.engine.optimStep("a", adam);
    expect(mortal.log).toEqual([
      expect.stringContaining("it is started again"),
      expect.stringMatching(/it could not be started again, because the system has no thread left$/),
      expect.stringContaining("it runs again, with 1 adapters"),
    ]);
  });

  it("survives one end after the other, also while it is started again", { timeout: 60_000 }, async () => {
    const { engine, kill, workers } = await startMortalEngine(options);
    await engine.createAdapter("a", shape, 3);
    const expected = computed(await engine.pass({ ...pass("a"), forwardOnly: true }));
    await kill();
    await expect.poll(() => workers.length, { timeout: 10_000 }).toBe(2);
    await kill();
    expect(computed(await engine.pass({ ...pass("a"), forwardOnly: true }))).toEqual(expected);
    await kill();
    expect(computed(await engine.pass({ ...pass("a"), forwardOnly: true }))).toEqual(expected);
  });

  it("can be closed while it is started again, and takes no more", { timeout: 60_000 }, async () => {
    const { engine, kill } = await startMortalEngine(options);
    await engine.createAdapter("a", shape, 3);
    await kill();
    await engine.close();
    await expect(engine.optimStep("a", adam)).rejects.toBeInstanceOf(ClosedError);
  });

  it("ends a start that is under way when it is aborted, however busy its thread is", async () => {
    const workers: Worker[] = [];
    const start = (): EngineThread => {
      // As one that writes the weights of a large model: no message reaches it.
      const worker = new Worker("for (;;);", { eval: true });
      workers.push(worker);
      return worker;
    };
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const abort = new AbortController();
    const starting = SupervisedEngine.start({ clock, logger: silentLogger, start }, abort.signal);
    abort.abort();
    await expect(starting).rejects.toBeInstanceOf(AbortedError);
    // Of a thread that has ended.
    expect(workers.map(({ threadId }) => threadId)).toEqual([-1]);
  });

  it("is given up rather than put its adapters on other base weights, and says what to do", async () => {
    const log: string[] = [];
    const logger: Logger = { debug() {}, info() {}, warn() {}, error: (message) => void log.push(message) };
    let starts = 0;
    const start = (): EngineThread => {
      starts += 1;
      const described = {
        model: { name: "m", directory: "models/m" },
        runtime: {},
        fingerprint: `${starts}`,
      };
      const program = `
        const { parentPort } = require("node:worker_threads");
        parentPort.on("message", ({ kind, id, call }) => {
          if (kind === "close") parentPort.close();
          else if (call.method === "describe") parentPort.postMessage({ kind: "result", id, value: ${JSON.stringify(described)} });
          else throw new Error("no memory");
        });`;
      return new Worker(program, { eval: true });
    };
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const engine = await SupervisedEngine.start({ clock, logger, start });
    onTestFinished(() => engine.close());
    await expect(engine.sample(task)).rejects.toThrow("ended unexpectedly (no memory)");
    const refused =
      /files of the model in models\/m are not those it was started with.*start the server again to go on from checkpoints/;
    await expect(engine.optimStep("a", adam)).rejects.toThrow(refused);
    await expect(engine.sample(task)).rejects.toThrow(refused);
    expect(engine.fault).toMatch(refused);
    expect(log.at(-1)).toMatch(refused);
    expect(starts).toBe(2);
  });

  it("is given up when its thread ends again and again, and says so for good", {
    timeout: 60_000,
  }, async () => {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const log: string[] = [];
    const logger: Logger = { debug() {}, info() {}, warn() {}, error: (message) => void log.push(message) };
    let starts = 0;
    const start = (): EngineThread => {
      starts += 1;
      // The first answers; all further ones end at once.
      const program =
        starts === 1
          ? `const { parentPort } = require("node:worker_threads");
             parentPort.on("message", ({ id, call }) => {
               if (call.method !== "describe") throw new Error("no memory");
               parentPort.postMessage({ kind: "result", id, value: { model: { name: "m" }, runtime: {} } });
             });`
          : `throw new Error("no memory");`;
      return new Worker(program, { eval: true });
    };
    const engine = await SupervisedEngine.start({ clock, logger, start });
    onTestFinished(() => engine.close());
    await expect(engine.sample(task)).rejects.toThrow("ended unexpectedly (no memory)");
    const next = engine.optimStep("a", adam).catch((error: Error) => error.message);
    const released = engine.releaseAdapter("a");
    await expect
      .poll(() => clock.advance(10_000).then(() => engine.fault), { timeout: 30_000 })
      .toMatch(/given up: start the server again/);
    expect(await next).toBe(engine.fault);
    // Its memory is gone with it.
    await expect(released).resolves.toBeUndefined();
    await expect(engine.releaseAdapter("b")).resolves.toBeUndefined();
    await expect(engine.optimStep("a", adam)).rejects.toThrow("given up");
    expect(starts).toBe(6);
    expect(log.at(-1)).toContain("given up");
  });
});
