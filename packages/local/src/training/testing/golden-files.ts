import { readFileSync } from "node:fs";
import type { ModelConfig } from "../../model/model-config.js";
import { type ModelWeights, openModelWeights } from "../../model/model-weights.js";
import { readModelConfig } from "../../model/read-model-config.js";

/** Recorded truth: models, adapters, losses and gradients computed in double precision by a reference in Python. */
const goldens = new URL("../../../fixtures/numerics/", import.meta.url);

export const goldenPath = (path: string): string => new URL(path, goldens).pathname;

/** @typeParam T the shape of the recorded file, as its tests read it */
export function readGolden<T>(path: string): T {
  return JSON.parse(readFileSync(goldenPath(path), "utf8")) as T;
}

export function openGoldenModel(name: string): { config: ModelConfig; weights: ModelWeights } {
  const directory = goldenPath(`models/${name}`);
  const config = readModelConfig(directory);
  return { config, weights: openModelWeights(directory, config) };
}
