import type { EngineDatum, LossName } from "../engine/engine.js";
import { type Tensor, tensor } from "../runtime/tensor.js";
import type { PlannedBatch } from "./plan-batches.js";

/** Numbers of a datum that a loss may read, in the shape `N × K`, and what padding holds. */
interface PerToken {
  readonly input: string;
  readonly of: (datum: EngineDatum, config: LossConfig) => Float32Array | number;
}

type LossConfig = Readonly<Record<string, number>>;

const weights: PerToken = { input: "weights", of: (datum) => datum.weights ?? 1 };
const samplerLogprobs: PerToken = { input: "samplerLogprobs", of: (datum) => required(datum, "logprobs") };
const advantages: PerToken = { input: "advantages", of: (datum) => required(datum, "advantages") };
const clipLow: PerToken = {
  input: "clipLow",
  of: (datum, config) => datum.clipLowThreshold ?? configured(config, "clip_low_threshold"),
};
const clipHigh: PerToken = {
  input: "clipHigh",
  of: (datum, config) => datum.clipHighThreshold ?? configured(config, "clip_high_threshold"),
};

/** What each loss reads of every token. */
const perTokenInputs: Readonly<Record<LossName, readonly PerToken[]>> = {
  cross_entropy: [weights],
  importance_sampling: [weights, samplerLogprobs, advantages],
  ppo: [weights, samplerLogprobs, advantages, clipLow, clipHigh],
  cispo: [weights, samplerLogprobs, advantages, clipLow, clipHigh],
  dro: [weights, samplerLogprobs, advantages],
};

/**
 * The inputs of one run but the adapter's: rows padded at their end with token 0 and 0 in every number, so that padding
 * has weight 0 and adds exactly nothing.
 */
export function batchFeeds(
  data: readonly EngineDatum[],
  batch: PlannedBatch,
  loss: LossName,
  config: LossConfig,
): Record<string, Tensor> {
  const rows = batch.indices.map((index) => datumAt(data, index));
  const targetsPerToken = rows[0]?.targetsPerToken ?? 1;
  const shape = [rows.length, batch.time, targetsPerToken];
  const rowSize = batch.time * targetsPerToken;
  const tokens = new Int32Array(rows.length * batch.time);
  const targets = new Int32Array(rows.length * rowSize);
  rows.forEach((datum, row) => {
    tokens.set(datum.tokens, row * batch.time);
    targets.set(datum.targets, row * rowSize);
  });
  const feeds: Record<string, Tensor> = {
    tokens: tensor("int32", [rows.length, batch.time], tokens),
    targets: tensor("int32", shape, targets),
  };
  for (const { input, of } of perTokenInputs[loss]) {
    const numbers = new Float32Array(rows.length * rowSize);
    rows.forEach((datum, row) => {
      const given = of(datum, config);
      const start = row * rowSize;
      if (typeof given === "number") numbers.fill(given, start, start + datum.targets.length);
      else numbers.set(given, start);
    });
    feeds[input] = tensor("float32", shape, numbers);
  }
  if (loss === "dro") feeds.beta = tensor("float32", [], Float32Array.of(configured(config, "beta")));
  return feeds;
}

function datumAt(data: readonly EngineDatum[], index: number): EngineDatum {
  const datum = data[index];
  if (datum === undefined) throw new RangeError(`No datum ${index} among ${data.length}.`);
  return datum;
}

function required(datum: EngineDatum, key: "logprobs" | "advantages"): Float32Array {
  const numbers = datum[key];
  if (numbers === undefined) throw new Error(`The loss needs "${key}" on every datum.`);
  return numbers;
}

function configured(config: LossConfig, key: string): number {
  const value = config[key];
  if (value === undefined) throw new Error(`The loss configuration must be resolved: "${key}" is missing.`);
  return value;
}
