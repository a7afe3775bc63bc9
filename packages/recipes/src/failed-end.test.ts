import { join } from "node:path";
import type { ServiceClient } from "@tinkex/client";
import { failOnUnhandledErrors, temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { dpo, rl, sft } from "./index.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";
import { ONE_TOKEN_ROLLOUTS } from "./testing/one-token-rollouts.js";

const { service } = localService();
const refusal = new Error("no more samplers");

/** The service, which makes no sampling client of a checkpoint. */
function withoutSamplers(): ServiceClient {
  const target = service();
  return new Proxy(target, {
    get(_, name) {
      if (name === "createSamplingClient") return async () => Promise.reject(refusal);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

const common = { model: POCKET_MODEL, rank: 4, learningRate: 1e-3 } as const;

interface Place {
  readonly service: ServiceClient;
  readonly runDirectory: string;
}

const RECIPES = {
  sft: (place: Place) =>
    sft({ ...common, ...place, train: [{ prompt: "a", completion: "b" }], batchSize: 1 }),
  dpo: (place: Place) =>
    dpo({ ...common, ...place, pairs: [{ prompt: "a", chosen: "b", rejected: "c" }], batchSize: 1 }),
  rl: (place: Place) => rl({ ...common, ...place, ...ONE_TOKEN_ROLLOUTS, problems: ["a "] }),
};

describe("a run with a folder, whose sampler cannot be made at the end", { timeout: 240_000 }, () => {
  it.each(Object.entries(RECIPES))("%s tells whoever awaits it, and ends no process", async (_, recipe) => {
    failOnUnhandledErrors();
    const runDirectory = join(temporaryDirectory(), "run");
    await expect(recipe({ service: withoutSamplers(), runDirectory })).rejects.toBe(refusal);
    // The run has ended: nothing but the sampler is made again.
    await expect(recipe({ service: withoutSamplers(), runDirectory })).rejects.toBe(refusal);
    expect((await recipe({ service: service(), runDirectory })).steps).toBe(1);
  });
});
