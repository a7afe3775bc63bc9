import { join } from "node:path";
import type { ServiceClient } from "@tinkex/client";
import { RunReader } from "@tinkex/runs";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { dpo, rl, sft } from "./index.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";
import { ONE_TOKEN_ROLLOUTS } from "./testing/one-token-rollouts.js";

const { service } = localService();
const words = ["ant", "bee", "cat", "dog"];

interface Place {
  readonly service: ServiceClient;
  readonly runDirectory: string;
  readonly onMetrics: (step: number) => void;
}

const common = { model: POCKET_MODEL, rank: 4, learningRate: 1e-3, saveEvery: 2 } as const;
const RECIPES = {
  sft: (place: Place) =>
    sft({
      ...common,
      ...place,
      train: words.map((word) => ({ prompt: word, completion: "b" })),
      batchSize: 1,
    }),
  dpo: (place: Place) =>
    dpo({
      ...common,
      ...place,
      pairs: words.map((word) => ({ prompt: word, chosen: "b", rejected: "c" })),
      batchSize: 1,
    }),
  rl: (place: Place) => rl({ ...common, ...place, ...ONE_TOKEN_ROLLOUTS, problems: words }),
};

describe("a run that onMetrics ends at a step behind which it was saved", { timeout: 240_000 }, () => {
  it.each(Object.entries(RECIPES))("goes on from there: %s", async (_, recipe) => {
    const runDirectory = join(temporaryDirectory(), "run");
    const reader = new RunReader(runDirectory);
    const enough = new Error("enough");
    const stop = (step: number): void => {
      if (step === 1) throw enough;
    };
    await expect(recipe({ service: service(), runDirectory, onMetrics: stop })).rejects.toBe(enough);
    expect((await reader.checkpoints()).map(({ name }) => name)).toEqual(["000002"]);
    const seen: number[] = [];
    const again = recipe({ service: service(), runDirectory, onMetrics: (step) => seen.push(step) });
    expect((await again).steps).toBe(4);
    expect(seen).toEqual([2, 3]);
    expect((await reader.metrics()).map(({ step }) => step)).toEqual([0, 1, 2, 3]);
  });
});
