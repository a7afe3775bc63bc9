import type { SamplingClient } from "@tinkex/client";
import { expect, it } from "vitest";
import { RolloutPipeline } from "./rollout-pipeline.js";

/** Samplers that only have a name, and rollouts that end when the test says so. */
function pipelineOf(maxStepsOffPolicy: number, totalSteps = 4) {
  const closed: string[] = [];
  const begun: string[] = [];
  const ends = new Map<number, { resolve: () => void; reject: (error: unknown) => void }>();
  const samplerOf = (name: string) =>
    ({ samplingSessionId: name, close: async () => void closed.push(name) }) as unknown as SamplingClient; // no more is used
  const pipeline = new RolloutPipeline({
    ...{ startStep: 0, totalSteps, maxStepsOffPolicy, signal: undefined },
    rollOut: (step, sampler, signal) => {
      begun.push(`${step} by ${sampler.samplingSessionId}`);
      return new Promise((resolve, reject) => {
        ends.set(step, { resolve: () => resolve({ groups: [], tokens: {} }), reject });
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    },
  });
  return { pipeline, begun, closed, ends, samplerOf };
}

it("cookbook 27: with 0 steps off-policy a step is rolled out by the weights that it begins with, and nothing ahead of it", async () => {
  const { pipeline, begun, closed, ends, samplerOf } = pipelineOf(0);
  for (const step of [0, 1, 2, 3]) {
    const taken = pipeline.take(step, samplerOf(`w${step}`));
    expect(begun).toHaveLength(step + 1);
    ends.get(step)?.resolve();
    expect((await taken).samplerStep).toBe(step);
  }
  expect(begun).toEqual(["0 by w0", "1 by w1", "2 by w2", "3 by w3"]);
  await expect.poll(() => closed).toEqual(["w0", "w1", "w2", "w3"]);
});

it("cookbook 27: never more groups are begun and untrained than allowed, and a step takes the oldest", async () => {
  const { pipeline, begun, closed, ends, samplerOf } = pipelineOf(2, 5);
  const ages: number[] = [];
  for (const step of [0, 1, 2, 3, 4]) {
    const taken = pipeline.take(step, samplerOf(`w${step}`));
    // Those of this step and of the two behind it, as far as there are steps.
    expect(begun).toHaveLength(Math.min(step + 3, 5));
    ends.get(step)?.resolve();
    ages.push(step - (await taken).samplerStep);
  }
  expect(begun).toEqual(["0 by w0", "1 by w0", "2 by w0", "3 by w1", "4 by w2"]);
  expect(ages).toEqual([0, 1, 2, 2, 2]);
  // A sampler stays open until what it samples is there.
  await expect.poll(() => closed.length).toBe(5);
  expect(closed.indexOf("w1")).toBeLessThan(closed.indexOf("w2"));
});

it("a failure of rollouts ahead reaches the step that takes them, and closing gives up what is under way", async () => {
  const { pipeline, closed, ends, samplerOf } = pipelineOf(1);
  const first = pipeline.take(0, samplerOf("w0"));
  ends.get(1)?.reject(new Error("no judge"));
  ends.get(0)?.resolve();
  await first;
  const second = pipeline.take(1, samplerOf("w1"));
  await expect(second).rejects.toThrow("no judge");
  await pipeline.close();
  await expect.poll(() => closed).toEqual(["w0", "w1"]);
});
