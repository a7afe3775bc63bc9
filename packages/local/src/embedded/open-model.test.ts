import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ClosedError, ValidationError } from "@tinkex/base";
import { Datum, ModelInput } from "@tinkex/types";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createInProcessEngine } from "../compute/in-process-engine.js";
import type { ModelFiles } from "../model/model-in-memory.js";
import { encodeSafetensors } from "../safetensors/encode-safetensors.js";
import { SafetensorsFile } from "../safetensors/safetensors-file.js";
import { type OpenedModel, openModel } from "./open-model.js";

const directory = new URL("../../fixtures/numerics/models/tiny-llama", import.meta.url).pathname;
const files: ModelFiles = Object.fromEntries(
  readdirSync(directory).map((name) => [name, new Uint8Array(readFileSync(join(directory, name)))]),
);
const ids = [1, 282, 270, 206, 325, 273, 311, 360];
const data = [Datum.of(ids.slice(0, -1), { target_tokens: { data: ids.slice(1), dtype: "int64" } })];
const adam = { learning_rate: 0.01 };
const request = {
  prompt: ModelInput.fromInts(ids.slice(0, 4)),
  num_samples: 1,
  sampling_params: { max_tokens: 6, temperature: 0 },
};

/** Losses of three steps of a new adapter, and what it then answers. */
async function train(model: OpenedModel, seed: number) {
  const run = await model.createLora({ rank: 4, seed });
  const losses: (number | undefined)[] = [];
  for (let step = 0; step < 3; step += 1) {
    const pass = run.forwardBackward(data, "cross_entropy");
    await run.optimStep(adam);
    losses.push((await pass).metrics["loss:sum"]);
  }
  const { sequences } = await run.sample(request);
  return { losses, tokens: sequences[0]?.tokens };
}

let model: OpenedModel;
beforeAll(async () => {
  model = await openModel(files, { runtime: "wasm", threads: 1 });
});
afterAll(() => model?.close());

describe("openModel", () => {
  it("computes what the engine computes that reads the same model from its directory", {
    timeout: 120_000,
  }, async () => {
    await using engine = await openedFromDirectory();
    const expected = await engine.train(3);
    const { losses, tokens } = await train(model, 3);
    expect(losses).toEqual(expected.losses);
    expect(losses[2]).toBeLessThan(losses[0] ?? 0);
    expect(tokens).toEqual(expected.tokens);
  });

  it("reads the files as Node's readFile gives them, and those that lie inside larger memory", {
    timeout: 120_000,
  }, async () => {
    const { losses: expected } = await train(model, 3);
    const within = (bytes: Uint8Array) => {
      const memory = new Uint8Array(bytes.length + 7);
      memory.set(bytes, 3);
      return memory.subarray(3, 3 + bytes.length);
    };
    for (const given of [(bytes: Uint8Array) => Buffer.from(bytes), within]) {
      const others = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, given(bytes)]));
      await using opened = await openModel(others, { runtime: "wasm", threads: 1 });
      expect((await train(opened, 3)).losses).toEqual(expected);
    }
  });

  it("trains two runs side by side, neither of which changes the other or the model", async () => {
    const alone = await train(model, 5);
    const base = await model.sample(request);
    const [first, second] = await Promise.all([train(model, 5), train(model, 6)]);
    expect(first).toEqual(alone);
    expect(second.losses[2]).not.toBe(first.losses[2]);
    expect((await model.sample(request)).sequences[0]?.tokens).toEqual(base.sequences[0]?.tokens);
  });

  it("scores without a gradient, so that a step after it changes nothing", async () => {
    const run = await model.createLora({ rank: 2, seed: 1, train_mlp: false });
    const before = await run.forward(data, "cross_entropy");
    const { metrics } = await run.optimStep(adam);
    expect(metrics?.["grad_norm:mean"]).toBe(0);
    expect(await run.forward(data, "cross_entropy")).toEqual(before);
    await run.release();
    await expect(run.forward(data, "cross_entropy")).rejects.toThrow(/there is no adapter/);
  });

  it("reads weights that lie in several files", async () => {
    const whole = SafetensorsFile.open(join(directory, "model.safetensors"));
    const tensors = whole.names.map((name) => ({ name, ...whole.read(name) }));
    whole.close();
    const half = Math.ceil(tensors.length / 2);
    const { "model.safetensors": _, ...others } = files;
    const shards = {
      ...others,
      "model-00001-of-00002.safetensors": encodeSafetensors(tensors.slice(0, half)),
      "model-00002-of-00002.safetensors": encodeSafetensors(tensors.slice(half)),
    };
    await using sharded = await openModel(shards, { runtime: "wasm", threads: 1 });
    expect(await sharded.sample(request)).toEqual(await model.sample(request));
  });

  it("ends samples at texts, by the model's own tokenizer", async () => {
    const { sequences } = await model.sample(request);
    const tokens = sequences[0]?.tokens ?? [];
    const stop = model.tokenizer.decode(tokens.slice(2, 3));
    const stopped = await model.sample({
      ...request,
      sampling_params: { ...request.sampling_params, stop: [stop] },
    });
    expect(stopped.sequences[0]?.stop_reason).toBe("stop");
    expect(stopped.sequences[0]?.tokens.length).toBeLessThan(tokens.length);
  });

  it.each([
    ["config.json is missing", { "config.json": undefined }, 'openModel: files must have "config.json"'],
    [
      "the tokenizer is missing",
      { "tokenizer.json": undefined },
      'openModel: files must have "tokenizer.json"',
    ],
    ["a file is no bytes", { "config.json": "{}" }, 'openModel: files["config.json"] must be a Uint8Array'],
    ["settings are no JSON", { "config.json": new Uint8Array(3) }, "cannot read config.json"],
    [
      "the weights are cut short",
      { "model.safetensors": new Uint8Array(4) },
      "model.safetensors is not a safetensors file",
    ],
    [
      "there are no weights",
      { "model.safetensors": undefined },
      "the model in the given files lacks the tensor",
    ],
  ])("names the file when %s", async (_, change, message) => {
    // A program without types may pass anything.
    const opening = openModel({ ...files, ...change } as ModelFiles, { runtime: "wasm", threads: 1 });
    await expect(opening).rejects.toThrow(ValidationError);
    await expect(opening).rejects.toThrow(message);
  });

  it.each([
    [{ rank: 0 }, "rank"],
    [{ rank: 4096 }, "lora_config.rank must be a whole number from 1 to 1024"],
    [{ train_attn: false, train_mlp: false, train_unembed: false }, "at least one of"],
  ])("refuses the adapter %j", async (lora_config, message) => {
    const creating = model.createLora(lora_config);
    await expect(creating).rejects.toThrow(ValidationError);
    await expect(creating).rejects.toThrow(message);
  });

  it("refuses data, steps and prompts by the place of their fault", async () => {
    const run = await model.createLora({ rank: 2, seed: 1 });
    const foreign = [Datum.of([1, 99_999], { target_tokens: { data: [1, 2], dtype: "int64" } })];
    await expect(run.forwardBackward(foreign, "cross_entropy")).rejects.toThrow(/^data\[0\]\.model_input/);
    await expect(run.optimStep({ beta1: 2 })).rejects.toThrow(/beta1/);
    const long = { ...request, sampling_params: { max_tokens: 1e6 } };
    await expect(model.sample(long)).rejects.toThrow(/max_tokens must be at most/);
    for (const refused of [run.forwardBackward(foreign, "cross_entropy"), model.sample(long)])
      await expect(refused).rejects.toThrow(ValidationError);
  });

  it("says what to do once it is closed", async () => {
    const closed = await openModel(files, { runtime: "wasm", threads: 1 });
    const run = await closed.createLora({ rank: 2, seed: 1 });
    await closed.close();
    await closed.close();
    for (const call of [
      () => closed.sample(request),
      () => closed.createLora(),
      () => run.forward(data, "cross_entropy"),
      () => run.optimStep(),
    ]) {
      await expect(call()).rejects.toThrow(ClosedError);
      await expect(call()).rejects.toThrow("the model is closed; open it again");
    }
  });
});

/** The engine of the server, on the same runtime. */
async function openedFromDirectory() {
  const engine = await createInProcessEngine({
    model: { name: "tinkex/tiny", directory },
    runtime: "wasm",
    threads: 1,
  });
  const shape = { rank: 4, trainAttention: true, trainMlp: true, trainUnembedding: true };
  const step = {
    learningRate: adam.learning_rate,
    beta1: 0.9,
    beta2: 0.95,
    epsilon: 1e-12,
    weightDecay: 0,
    gradientClipNorm: 0,
  };
  const tokens = Int32Array.from(ids);
  const datum = {
    tokens: tokens.subarray(0, -1),
    targets: tokens.subarray(1),
    targetsPerToken: 1,
    targetsAreMatrix: false,
    lossInputs: {},
  };
  return {
    async train(seed: number) {
      await engine.createAdapter("a", shape, seed);
      const losses: number[] = [];
      for (let index = 0; index < 3; index += 1) {
        const pass = { adapterId: "a", data: [datum], loss: "cross_entropy", lossConfig: {} } as const;
        losses.push((await engine.pass({ ...pass, forwardOnly: false })).lossSum);
        await engine.optimStep("a", step);
      }
      const { sequences } = await engine.sample({
        adapterId: "a",
        prompt: tokens.subarray(0, 4),
        sampleCount: 1,
        maxTokens: 6,
        seed: 1,
        temperature: 0,
        topK: -1,
        topP: 1,
        stopTokenIds: engine.model.endTokenIds,
        stopTexts: [],
        wantsPromptLogprobs: false,
        topkPromptLogprobs: 0,
      });
      return { losses, tokens: Array.from(sequences[0]?.tokens ?? []) };
    },
    [Symbol.asyncDispose]: () => engine.close(),
  };
}
