import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { type DpoOptions, dpo, type RecipeEvent, sft } from "./index.js";
import { dpoBatchLoss } from "./losses/dpo-custom-loss.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";
import { spiedService } from "./testing/spied-service.js";

const { service } = localService();
const WORDS = "ant bee cat dog elk fox gnu hen".split(" ");
const pairs = WORDS.map((word) => ({
  prompt: `${word}:`,
  chosen: ` ${word} yes\n`,
  rejected: ` ${word} no!\n`,
}));
const optionsOf = (more: Partial<DpoOptions> = {}): DpoOptions => ({
  service: service(),
  model: POCKET_MODEL,
  pairs,
  rank: 8,
  seed: 1,
  learningRate: 1e-3,
  schedule: "constant",
  batchSize: 8,
  epochs: 6,
  ...more,
});

async function metricsOf(run: AsyncIterable<RecipeEvent>): Promise<Readonly<Record<string, number>>[]> {
  const rows: Readonly<Record<string, number>>[] = [];
  for await (const event of run) if (event.type === "step") rows.push(event.metrics);
  return rows;
}

describe("dpo", { timeout: 240_000 }, () => {
  it("cookbook 24: comes to prefer the chosen answers, from ln 2 on, with both answers scored the same at first", async () => {
    const rows = await metricsOf(dpo(optionsOf()));
    expect(rows).toHaveLength(6);
    expect(rows[0]?.dpo_loss).toBeCloseTo(Math.LN2, 3);
    expect(Math.abs(rows[0]?.margin ?? 1)).toBeLessThan(1e-3);
    expect(rows[5]?.accuracy).toBeGreaterThanOrEqual(0.95);
    expect(rows[5]?.dpo_loss).toBeLessThan(0.2);
  });

  it("names all pairs that cannot be trained on, before a step is sent", async () => {
    const calls: string[] = [];
    const spy = spiedService(service(), (call) => calls.push(call));
    const bad = [...pairs.slice(0, 2), { prompt: "ant:", chosen: "", rejected: " b" }, { prompt: "bee:" }];
    // The last one is what plain JavaScript may give.
    const run = dpo(optionsOf({ service: spy, pairs: bad as typeof pairs }));
    await expect(run).rejects.toThrow(
      /^dpo: pairs\[2\]: .*; dpo: pairs\[3\]: a pair must have prompt, chosen and rejected/,
    );
    expect(calls.filter((call) => call.startsWith("forwardBackward"))).toEqual([]);
  });

  it("leaves out pairs whose answers are the same, which have no gradient, and says so", async () => {
    const same = { prompt: "ant:", chosen: " yes\n", rejected: " yes\n" };
    const run = dpo(optionsOf({ pairs: [same, ...pairs.slice(0, 2), same], batchSize: 2, epochs: 1 }));
    const events: RecipeEvent[] = [];
    for await (const event of run) events.push(event);
    const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
    expect(warnings).toEqual(["2 of 4 pairs have the same answer twice, and are left out"]);
    const { steps, metrics } = await run;
    expect([steps, metrics.num_pairs, metrics["pairs/dropped"]]).toEqual([1, 2, 2]);
  });

  it("names the pairs left out where too few remain for a step", async () => {
    const same = { prompt: "ant:", chosen: " yes\n", rejected: " yes\n" };
    await expect(dpo(optionsOf({ pairs: [...pairs.slice(1), same], batchSize: 8 }))).rejects.toThrow(
      "dpo: pairs must have at least 8, enough for one step, got 7 besides 1 left out (the same answer twice); lower batchSize",
    );
  });

  it("goes on with a run that left out the same pairs, and not with one of a version that left out none", async () => {
    const same = { prompt: "ant:", chosen: " yes\n", rejected: " yes\n" };
    const runDirectory = join(temporaryDirectory(), "run");
    const options = {
      pairs: [same, ...pairs.slice(0, 4)],
      batchSize: 2,
      epochs: 2,
      saveEvery: 1,
      runDirectory,
    };
    /** Takes a run up as it stood behind its first step. */
    const rewind = async () => {
      const path = join(runDirectory, "checkpoints.jsonl");
      const [first] = (await readFile(path, "utf8")).split("\n");
      await writeFile(path, `${first}\n`);
    };
    await dpo(optionsOf(options));
    await rewind();
    expect(await metricsOf(dpo(optionsOf(options)))).toHaveLength(3);
    await rewind();
    const path = join(runDirectory, "metrics.jsonl");
    const rows = await readFile(path, "utf8");
    expect(rows).toContain('"pairs/dropped": 1');
    await writeFile(path, rows.replaceAll(/"pairs\/dropped": 1, /g, ""));
    await expect(dpo(optionsOf(options))).rejects.toThrow(
      /^dpo: the run in runDirectory has left out 0 pairs, and 1 have the same answer twice, .*choose another directory$/,
    );
  });

  it("begins from a supervised checkpoint without its optimizer, and is right from the second step on", async () => {
    const train = WORDS.map((word) => ({ prompt: `${word}:`, completion: ` ${word} no!\n` }));
    const { checkpoint } = await sft({
      ...{ service: service(), model: POCKET_MODEL, train, rank: 8, seed: 1 },
      ...{ learningRate: 3e-3, batchSize: 8, epochs: 8, evaluateEvery: 0 },
    });
    const calls: string[] = [];
    const spy = spiedService(service(), (call) => calls.push(call));
    const rows = await metricsOf(dpo(optionsOf({ service: spy, model: checkpoint.statePath })));
    expect(calls).not.toContain("createTrainingClientFromStateWithOptimizer");
    expect(rows[0]?.dpo_loss).toBeCloseTo(Math.LN2, 3);
    const losses = rows.map((row) => Number(row.dpo_loss));
    expect(losses[1]).toBeLessThan(0.6);
    expect(rows[5]?.accuracy).toBeGreaterThanOrEqual(0.95);
    // The same steps on the supervised client go wrong at once: its moments are those of the other loss.
    const stale = await service().createTrainingClientFromStateWithOptimizer(checkpoint.statePath);
    const staleService = new Proxy(service(), {
      get: (target, name) => {
        if (name === "createTrainingClientFromState") return async () => stale;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const wrong = await metricsOf(
      dpo(optionsOf({ service: staleService, model: checkpoint.statePath, maxSteps: 3 })),
    );
    expect(Number(wrong[1]?.dpo_loss)).toBeGreaterThan(Number(losses[1]) + 0.2);
  });
});

it("refuses what is no pair, and a beta that holds nothing", async () => {
  expect(() => dpo(optionsOf({ beta: 0 }))).toThrow(/dpo: beta must be above 0, got 0/);
  const odd = [{ prompt: "a", chosen: "b" }] as unknown as DpoOptions["pairs"];
  await expect(dpo(optionsOf({ pairs: odd, batchSize: 1 }))).rejects.toThrow(
    /dpo: pairs\[0\]: a pair must have prompt, chosen and rejected/,
  );
});

it("gives each token of an answer its share of the slope, and none to the prompt", () => {
  const { gradients, loss } = dpoBatchLoss(
    [
      [-1, -1],
      [-1, -1, -1],
    ],
    [
      [0, 1],
      [0, 1, 1],
    ],
    [-1, -2],
    1,
  );
  expect(loss).toBeCloseTo(Math.LN2, 12);
  expect(gradients).toEqual([
    [-0, -0.5],
    [0, 0.5, 0.5],
  ]);
});
