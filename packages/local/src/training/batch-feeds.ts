import type { EngineDatum } from "../engine/engine.js";
import { type Loss, perTokenInputs, scalarInputs } from "../losses/loss-definition.js";
import { type Tensor, tensor } from "../runtime/tensor.js";
import type { PlannedBatch } from "./plan-batches.js";
import { lossInputName } from "./training-graph.js";

type LossConfig = Readonly<Record<string, number>>;

/**
 * The inputs of one run but the adapter's: rows padded at their end with token 0 and 0 in every number, so that padding
 * has weight 0 and adds exactly nothing.
 */
export function batchFeeds(
  data: readonly EngineDatum[],
  batch: PlannedBatch,
  loss: Loss,
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
  for (const key of perTokenInputs(loss)) {
    const numbers = new Float32Array(rows.length * rowSize);
    rows.forEach((datum, row) => {
      const given = datum.lossInputs[key] ?? valueOfEveryToken(key, loss, config);
      const start = row * rowSize;
      if (typeof given === "number") numbers.fill(given, start, start + datum.targets.length);
      else numbers.set(given, start);
    });
    feeds[lossInputName(key)] = tensor("float32", shape, numbers);
  }
  for (const key of scalarInputs(loss)) {
    feeds[lossInputName(key)] = tensor("float32", [], Float32Array.of(configured(config, key)));
  }
  return feeds;
}

function datumAt(data: readonly EngineDatum[], index: number): EngineDatum {
  const datum = data[index];
  if (datum === undefined) throw new RangeError(`no datum ${index} among ${data.length}`);
  return datum;
}

/** Gives the number that stands for a tensor left out. */
function valueOfEveryToken(key: string, loss: Loss, config: LossConfig): number {
  if (loss.required.includes(key)) throw new Error(`the loss needs "${key}" on every datum`);
  return loss.optional[key] ?? configured(config, key);
}

function configured(config: LossConfig, key: string): number {
  const value = config[key];
  if (value === undefined) throw new Error(`the loss configuration must be resolved: "${key}" is missing`);
  return value;
}
