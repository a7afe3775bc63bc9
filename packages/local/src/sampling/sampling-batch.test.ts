import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createRuntime } from "../runtime/create-runtime.js";
import { openGoldenModel } from "../training/testing/golden-files.js";
import { decodeGraph } from "./decode-graph.js";
import { DecodeModel } from "./decode-model.js";
import { SampleRequest } from "./sample-request.js";
import { SamplingBatch } from "./sampling-batch.js";
import { sampleTask } from "./testing/tiny-sampler.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

it.each([1, 2])("lets go of what reading the prompt gave once its %i samples run", async (sampleCount) => {
  const { config, weights } = openGoldenModel("tiny-llama");
  const runtime = await createRuntime({ runtime: "native", threads: 1 });
  const session = await runtime.compile(decodeGraph(config, weights, new Set()));
  const given: WeakRef<Float32Array>[][] = [];
  const model = new DecodeModel(
    config,
    {
      async run(feeds) {
        const outputs = await session.run(feeds);
        const names = ["logits", "fresh.keys.0", "fresh.values.1"];
        given.push(names.map((name) => new WeakRef(outputs.float32(name))));
        return outputs;
      },
    },
    undefined,
  );
  const limits = { maxRows: 8, maxCacheBytes: 2 ** 24, maxPromptTokensPerRun: 64 };
  const batch = new SamplingBatch(model, config, limits, async () => {});
  const task = sampleTask({ sampleCount, maxTokens: 50, wantsPromptLogprobs: true });
  const request = new SampleRequest(task, { ...config, decode: () => "" }, undefined);
  batch.add(request);
  for (let step = 0; step < 3; step++) await batch.advance();
  await turn();
  collectGarbage();
  expect(given[0]?.map((output) => output.deref()?.length)).toEqual([undefined, undefined, undefined]);
  expect(request.isSettled).toBe(false);
  await session.release();
  weights.close();
});
