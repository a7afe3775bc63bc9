/** One chunk's value of a metric, and how many datums stand behind it. */
export interface WeightedValue {
  readonly value: number;
  readonly weight: number;
}

/** Joins the values of several chunks to one. */
export type MetricReducer = (values: readonly WeightedValue[]) => number;

/** Joins values that are hashes: exact where a double is not. */
export type HashReducer = (values: readonly number[]) => bigint;

/** The reductions that a metric's name may end in, `name:reduction`. (`unique` makes several metrics and stands apart.) */
export const METRIC_REDUCERS: Readonly<Record<string, MetricReducer>> = {
  mean: weightedMean,
  sum: (values) => values.reduce((sum, { value }) => sum + value, 0),
  min: (values) => Math.min(...values.map(({ value }) => value)),
  max: largest,
  slack: (values) => largest(values) - weightedMean(values),
};

/** The reductions whose results are hashes. A value that is no integer is cut to one; one that is not finite has none. */
export const HASH_REDUCERS: Readonly<Record<string, HashReducer>> = { hash_unordered: hashUnordered, hash2 };

function largest(values: readonly WeightedValue[]): number {
  return Math.max(...values.map(({ value }) => value));
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
