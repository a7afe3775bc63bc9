import { join } from "node:path";
import { RunReader } from "@tinkex/runs";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { sft } from "../index.js";
import { localService, POCKET_MODEL } from "../testing/local-service.js";

const { service } = localService();
const train = ["ant", "bee", "cat", "dog"].map((word) => ({ prompt: `${word}:`, completion: ` ${word}\n` }));

describe("a supervised run whose evaluation fails", { timeout: 240_000 }, () => {
  it.each([0, 1, 5])("keeps the steps and the checkpoint before it, %i steps ahead", async (submitAhead) => {
    const runDirectory = join(temporaryDirectory(), "run");
    const reader = new RunReader(runDirectory);
    let isBroken = true;
    const seen: number[] = [];
    const evaluator = async ({ step }: { readonly step: number }) => {
      // Whoever measures for an hour, and is stopped in it, loses nothing of before.
      seen.push((await reader.metrics()).length);
      if (isBroken && step === 2) throw new Error("no judge");
      return { score: step };
    };
    const run = () =>
      sft({
        ...{ service: service(), model: POCKET_MODEL, rank: 4, learningRate: 1e-3, batchSize: 1, train },
        ...{ runDirectory, saveEvery: 2, evaluateEvery: 2, evaluators: [evaluator], submitAhead },
      });
    await expect(run()).rejects.toThrow("no judge");
    expect((await reader.checkpoints()).map(({ name }) => name)).toEqual(["000002"]);
    isBroken = false;
    const resumed: (string | undefined)[] = [];
    const again = run();
    for await (const event of again) if (event.type === "start") resumed.push(event.resumedFrom);
    expect(resumed).toEqual([expect.stringMatching(/weights\/000002$/)]);
    expect((await again).steps).toBe(4);
    expect((await reader.metrics()).map(({ step, score }) => [step, score])).toEqual([
      [0, 0],
      [1, undefined],
      [2, 2],
      [3, undefined],
    ]);
    expect(seen).toEqual([0, 2, 2]);
  });
});
