import { startLocalServer } from "@tinkex/local";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { findPython, PYTHON_SDKS } from "./python-sdk.js";
import type { Recipe } from "./recipes/recipes.js";
import { runRecipe } from "./recipes/run-recipe.js";

/** Some minutes of two cores a seed: runs with TINKEX_ARITHMETIC_REWARD=1, or with seeds such as 1,2,3. */
const wanted = process.env.TINKEX_ARITHMETIC_REWARD;
const seeds = (wanted === undefined || wanted === "1" ? "1,2,3" : wanted).split(",").map(Number);

const STEPS = 40;
/** Steps at the beginning and at the end over which the reward is averaged. */
const [FIRST, LAST] = [2, 5];

/** `rl_basic`, unmodified, on the cookbook's own environment of sums; the loss is its default, the groups are smaller. */
const ARITHMETIC: Recipe = {
  name: "rl_basic on sums",
  module: "rl_basic",
  settings: [
    "dataset_builder=tinker_cookbook.recipes.math_rl.arithmetic_env:ArithmeticDatasetBuilder",
    "dataset_builder.batch_size=16",
    "dataset_builder.group_size=8",
    "dataset_builder.include_fewshot=False",
    `dataset_builder.n_batches=${STEPS}`,
    "dataset_builder.renderer_name=qwen3_instruct",
    "dataset_builder.model_name_for_tokenizer=Qwen/Qwen3.5-9B-Base",
    "renderer_name=qwen3_instruct",
    "learning_rate=1e-3",
    "max_tokens=8",
    "save_every=0",
  ],
  metric: "env/all/reward/total",
  steps: STEPS,
};

describe.skipIf(wanted === undefined)("reinforcement learning of sums on tinkex/pocket-2", () => {
  it.each(seeds)(
    "raises the reward of the cookbook's environment by 0.25 within 40 steps, seed %i",
    { timeout: 660_000 },
    async (seed) => {
      const [sdk] = PYTHON_SDKS;
      const found = sdk === undefined ? { missing: "no SDK" } : await findPython(sdk, process.env);
      if ("missing" in found) throw new Error(found.missing);
      const folder = temporaryDirectory();
      // tinkex/pocket-2 stands in for the recipe's own model, of which the cookbook knows the settings.
      await using server = await startLocalServer({ standIn: true, seed });
      const started = performance.now();
      const metrics = await runRecipe(ARITHMETIC, { python: found.python, url: server.url, folder });
      const rewards = metrics.flatMap((line) => {
        const value = line[ARITHMETIC.metric];
        return typeof value === "number" ? [value] : [];
      });
      const seconds = Math.round((performance.now() - started) / 1000);
      const [first, last] = [mean(rewards.slice(0, FIRST)), mean(rewards.slice(-LAST))];
      console.info(
        `seed ${seed}: reward ${first.toFixed(3)} → ${last.toFixed(3)} (first ${FIRST} and last ${LAST} of ${rewards.length} steps); ${seconds} s\n` +
          rewards.map((reward) => reward.toFixed(2)).join(" "),
      );
      expect(rewards.length).toBeGreaterThanOrEqual(STEPS);
      expect(last - first).toBeGreaterThanOrEqual(0.25);
    },
  );
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
