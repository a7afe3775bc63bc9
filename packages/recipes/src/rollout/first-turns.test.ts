import type { SamplingClient } from "@tinkex/client";
import { ModelInput } from "@tinkex/types";
import { expect, it } from "vitest";
import { FirstTurns } from "./first-turns.js";

/** Counts the samples that are asked for. */
function countedSampler(): { readonly sampler: SamplingClient; readonly asked: number[] } {
  const asked: number[] = [];
  const sample = async ({ num_samples = 1 }: { readonly num_samples?: number }) => {
    asked.push(num_samples);
    const sequence = (place: number) => ({ tokens: [place], logprobs: [-1], stop_reason: "stop" as const });
    return { sequences: Array.from({ length: num_samples }, (_, place) => sequence(place)) };
  };
  return { sampler: { sample } as unknown as SamplingClient, asked }; // a group samples, and no more
}

const turn = (token: number) => ({ prompt: ModelInput.fromInts([token]), stop: [] });

it("members that are shown the same prompt share one request, and each has a sample of its own", async () => {
  const { sampler, asked } = countedSampler();
  const turns = new FirstTurns(sampler, 3);
  const samples = await Promise.all([1, 1, 1].map((token) => turns.take(turn(token), {}, undefined)));
  expect(asked).toEqual([3]);
  expect(samples.map(({ tokens }) => tokens[0])).toEqual([0, 1, 2]);
});

it("members whose prompts differ ask for one sample each: none is paid for that nobody takes but those of the first", async () => {
  const { sampler, asked } = countedSampler();
  const turns = new FirstTurns(sampler, 4);
  await Promise.all([1, 2, 3, 2].map((token) => turns.take(turn(token), {}, undefined)));
  expect(asked).toEqual([4, 1, 1, 1]);
});
