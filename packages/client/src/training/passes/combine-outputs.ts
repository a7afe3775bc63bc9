import { ResponseError } from "@tinkex/base";
import type { ForwardBackwardOutput, LossFnOutput, NamedTensors } from "@tinkex/types";
import { isReceivedTensor } from "../../channel/is-received-tensor.js";

/**
 * The result of a training pass, joined from all requests it travelled in.
 *
 * - `loss_fn_outputs`: one entry per datum, in the order of the data; `logprobs` has the shape of its `target_tokens`.
 * - `metrics`: by `name:reduction`; `loss:sum` is the sum of the losses of all tokens, each times its weight. Losses are sums, not
 *   means: divide by the sum of the weights for a loss per token.
 */
export interface PassOutput extends ForwardBackwardOutput {
  /** `data` is a `Float32Array` under the `dtype` float32, a `BigInt64Array` under int64; `logprobs` are float32. */
  readonly loss_fn_outputs: readonly LossFnOutput[];
  /** Metrics whose reduction is a hash, exactly; in `metrics` they are rounded to a double. */
  readonly exact_metrics: Readonly<Record<string, bigint>>;
}

/**
 * Joins the results of a call's chunks, in the order of the data: outputs in a row, metrics reduced.
 *
 * @param onDropped - told of metrics that some chunks have and the whole has not, as they cannot be joined
 * @throws ResponseError for a tensor whose elements are not of its dtype, and for logprobs that are not float32
 */
export function combineOutputs(
  results: readonly ForwardBackwardOutput[],
  onDropped?: (names: readonly string[]) => void,
): PassOutput {
  const outputs: LossFnOutput[] = [];
  const chunks: ChunkMetrics[] = [];
  for (const { loss_fn_outputs, metrics } of results) {
    for (const output of loss_fn_outputs) {
      checkTensors(output, outputs.length);
      outputs.push(output);
    }
    chunks.push({ metrics, datumCount: loss_fn_outputs.length });
  }
  const { metrics, exactMetrics } = reduceMetrics(chunks);
  if (onDropped !== undefined) {
    const dropped = new Set<string>();
    for (const chunk of chunks) {
      for (const name of Object.keys(chunk.metrics)) if (!Object.hasOwn(metrics, name)) dropped.add(name);
    }
    if (dropped.size > 0) onDropped([...dropped]);
  }
  return {
    loss_fn_output_type: results[0]?.loss_fn_output_type ?? "",
    loss_fn_outputs: outputs,
    metrics,
    exact_metrics: exactMetrics,
  };
}

/** Checks what the type of an output says of its tensors. */
function checkTensors(output: NamedTensors, index: number): asserts output is LossFnOutput {
  // Not the list of entries, which would be made anew for each datum.
  for (const name in output) {
    const tensor = output[name];
    if (tensor === undefined) continue;
    const { dtype } = tensor;
    if (name === "logprobs" && dtype !== "float32") {
      throw new ResponseError(
        `the service gave logprobs of data[${index}] that must be float32, got ${dtype}`,
      );
    }
    if (isReceivedTensor(tensor)) continue;
    throw new ResponseError(
      `the service gave a tensor ${name} of data[${index}] that is no array of ${dtype}`,
    );
  }
}

/** The metrics that one chunk of a call reported. */
export interface ChunkMetrics {
  readonly metrics: Readonly<Record<string, number>>;
  /** Datums in the chunk: the weight of its means. */
  readonly datumCount: number;
}

/** Metrics of a whole call. */
interface ReducedMetrics {
  readonly metrics: Readonly<Record<string, number>>;
  /** Hashes among them, exactly; as numbers they lose their low bits. */
  readonly exactMetrics: Readonly<Record<string, bigint>>;
}

/**
 * Joins the metrics of the chunks of one call, by the reduction each name ends in (`loss:sum`).
 *
 * The keys are those of the first chunk that all chunks have. A key with an unknown reduction is left out. One without exactly
 * one colon names no reduction: it stays when all chunks agree on its value. A metric never fails a training step.
 */
export function reduceMetrics(chunks: readonly ChunkMetrics[]): ReducedMetrics {
  const metrics: Record<string, number> = {};
  const exactMetrics: Record<string, bigint> = {};
  for (const key of Object.keys(chunks[0]?.metrics ?? {})) {
    const values: WeightedValue[] = [];
    for (const { metrics: given, datumCount } of chunks) {
      const value = Object.hasOwn(given, key) ? given[key] : undefined;
      if (value !== undefined) values.push({ value, weight: datumCount });
    }
    if (values.length < chunks.length) continue;
    const [first] = values;
    const [, reduction, ...others] = key.split(":");
    if (reduction === undefined || others.length > 0) {
      if (first !== undefined && values.every(({ value }) => Object.is(value, first.value)))
        metrics[key] = first.value;
    } else if (reduction === "unique") {
      for (const [index, { value }] of values.entries())
        metrics[index === 0 ? key : `${key}_${index}`] = value;
    } else if (Object.hasOwn(HASH_REDUCERS, reduction)) {
      const numbers = values.map(({ value }) => value);
      const hash = numbers.every(Number.isFinite) ? HASH_REDUCERS[reduction]?.(numbers) : undefined;
      metrics[key] = hash === undefined ? Number.NaN : Number(hash);
      if (hash !== undefined) exactMetrics[key] = hash;
    } else if (Object.hasOwn(METRIC_REDUCERS, reduction)) {
      metrics[key] = METRIC_REDUCERS[reduction]?.(values) ?? Number.NaN;
    }
  }
  return { metrics, exactMetrics };
}

/** A chunk's value of a metric, and how many datums stand behind it. */
interface WeightedValue {
  readonly value: number;
  readonly weight: number;
}

/** Joins the values of several chunks to one. */
type MetricReducer = (values: readonly WeightedValue[]) => number;

/** Joins values that are hashes: exact where a double is not. */
type HashReducer = (values: readonly number[]) => bigint;

/** The reductions that a metric's name may end in, `name:reduction`. (`unique` makes several metrics and stands apart.) */
const METRIC_REDUCERS: Readonly<Record<string, MetricReducer>> = {
  mean: weightedMean,
  sum: (values) => {
    let sum = 0;
    for (const { value } of values) sum += value;
    return sum;
  },
  min: (values) => values.reduce((least, { value }) => Math.min(least, value), Number.POSITIVE_INFINITY),
  max: largest,
  slack: (values) => largest(values) - weightedMean(values),
};

/** The reductions whose results are hashes. A value that is no integer is cut to one; one that is not finite has none. */
const HASH_REDUCERS: Readonly<Record<string, HashReducer>> = { hash_unordered: hashUnordered, hash2 };

function largest(values: readonly WeightedValue[]): number {
  return values.reduce((most, { value }) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}

/** Weighted by datums; without any datum at all every chunk counts the same. */
function weightedMean(values: readonly WeightedValue[]): number {
  const total = values.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return values.reduce((sum, { value }) => sum + value, 0) / values.length;
  return values.reduce((sum, { value, weight }) => sum + value * weight, 0) / total;
}

/** Sum of the values as unsigned 64-bit integers, modulo 2^64. */
function hash2(values: readonly number[]): bigint {
  return values.reduce((sum, value) => BigInt.asUintN(64, sum + BigInt(Math.trunc(value))), 0n);
}

const PRIME_1 = 11400714785074694791n;
const PRIME_2 = 14029467366897019727n;
const PRIME_5 = 2870177450012600261n;
const MERSENNE_61 = 2n ** 61n - 1n;
const ALL_ONES = 2n ** 64n - 1n;

/** The hash CPython gives a tuple of the sorted integers (xxHash-like lanes of 64 bits), as a signed integer. */
function hashUnordered(values: readonly number[]): bigint {
  const integers = values.map((value) => BigInt(Math.trunc(value)));
  integers.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  let state = PRIME_5;
  for (const integer of integers) {
    state = BigInt.asUintN(64, state + BigInt.asUintN(64, hashInteger(integer)) * PRIME_2);
    state = BigInt.asUintN(64, (state << 31n) | (state >> 33n));
    state = BigInt.asUintN(64, state * PRIME_1);
  }
  state = BigInt.asUintN(64, state + (BigInt(integers.length) ^ PRIME_5 ^ 3527539n));
  return state === ALL_ONES ? 1546275796n : BigInt.asIntN(64, state);
}

/** CPython's hash of an integer: its magnitude modulo 2^61 - 1, with its sign; -1 is kept for errors. */
function hashInteger(integer: bigint): bigint {
  const hash = integer < 0n ? -(-integer % MERSENNE_61) : integer % MERSENNE_61;
  return hash === -1n ? -2n : hash;
}
