import { type Logits, maxOf } from "./logprobs.js";
import { argmax, sortBestFirst, topIds } from "./ranking.js";

/** Settings by which a token is chosen. */
export interface TokenFilter {
  /** 0 = greedy. */
  readonly temperature: number;
  /** Keep only so many of the likeliest tokens; 0 or less = off. */
  readonly topK: number;
  /** Keep the likeliest tokens up to this much probability; 1 = off. */
  readonly topP: number;
}

/** Tokens that may be drawn. */
export interface TokenDistribution {
  /** Best first, where a filter is on; without one left out: the weights are those of all ids in order. */
  readonly ids?: ArrayLike<number>;
  /** Probabilities times their sum. */
  readonly weights: ArrayLike<number>;
  /** Sum of the weights, up to rounding. */
  readonly total: number;
}

/**
 * The distribution the next token is drawn from: temperature, then top-k, then top-p, each on what the one before left.
 * Top-p keeps a token when the probability strictly before it, best first, is below `topP`, so at least one stays.
 * Equal logits rank by id, lower first, and top-k keeps exactly k. Temperature 0 leaves the best token alone.
 */
export function tokenDistribution(logits: Logits, filter: TokenFilter): TokenDistribution {
  const { temperature, topK, topP } = filter;
  if (temperature === 0) return { ids: [argmax(logits)], weights: [1], total: 1 };
  const keepsK = topK > 0 && topK < logits.length;
  if (!keepsK && topP >= 1) return exponentials(logits, temperature);
  if (!keepsK) return nucleus(exponentials(logits, temperature), topP);
  const ids = topIds(logits, topK);
  const kept = exponentials(
    Float64Array.from(ids, (id) => logits[id] ?? -Infinity),
    temperature,
  );
  if (topP >= 1) return { ...kept, ids };
  const { ids: ranks, ...rest } = nucleus(kept, topP);
  return { ...rest, ids: Array.from(ranks, (rank) => ids[rank] ?? 0) };
}

/** The token that a uniform number in [0, 1) points at. */
export function drawToken({ ids, weights, total }: TokenDistribution, uniform: number): number {
  let rest = uniform * total;
  let last = 0;
  for (let index = 0; index < weights.length; index += 1) {
    const weight = weights[index] ?? 0;
    if (weight === 0) continue;
    last = index;
    rest -= weight;
    if (rest < 0) break;
  }
  // Rounding can leave the sum a little below the total: the last one then has what is left.
  return ids === undefined ? last : (ids[last] ?? 0);
}

/**
 * The tokens that uniform numbers in [0, 1) point at, as {@link drawToken} finds each of them, by one walk over the weights for all: there may be
 * thousands of numbers, and as many weights as the vocabulary has tokens.
 */
export function drawTokens(
  { ids, weights, total }: TokenDistribution,
  uniforms: readonly number[],
): number[] {
  const uniformOf = (draw: number) => uniforms[draw] ?? 0;
  const rising = Array.from(uniforms.keys()).sort((left, right) => uniformOf(left) - uniformOf(right));
  const tokens = uniforms.map(() => 0);
  let mass = 0;
  let last = 0;
  let next = 0;
  for (const draw of rising) {
    for (; next < weights.length && mass <= uniformOf(draw) * total; next += 1) {
      const weight = weights[next] ?? 0;
      if (weight === 0) continue;
      mass += weight;
      last = next;
    }
    tokens[draw] = ids === undefined ? last : (ids[last] ?? 0);
  }
  return tokens;
}

/** The likeliest entries whose mass before them is below `topP`. `ids` are indices of `weights`. */
function nucleus({ weights, total }: Weights, topP: number): TokenDistribution & { readonly ids: number[] } {
  // Entries below this level hold less than 1 − topP together, so the nucleus ends before the first of them. Leaving
  // them out first keeps the sort short for a large vocabulary.
  const level = ((1 - topP) * total) / weights.length;
  const candidates: number[] = [];
  for (let id = 0; id < weights.length; id += 1) if ((weights[id] ?? 0) >= level) candidates.push(id);
  sortBestFirst(candidates, weights);
  const limit = topP * total;
  let mass = 0;
  let count = 0;
  while (count < candidates.length && (count === 0 || mass < limit)) {
    mass += weights[candidates[count] ?? 0] ?? 0;
    count += 1;
  }
  const ids = candidates.slice(0, count);
  return { ids, weights: Float64Array.from(ids, (id) => weights[id] ?? 0), total: mass };
}

interface Weights {
  readonly weights: Float64Array;
  readonly total: number;
}

/** Softmax without its division: the largest weight is 1. */
function exponentials(logits: Logits, temperature: number): Weights {
  const max = maxOf(logits);
  const weights = new Float64Array(logits.length);
  let total = 0;
  for (let id = 0; id < logits.length; id += 1) {
    const weight = Math.exp(((logits[id] ?? -Infinity) - max) / temperature);
    weights[id] = weight;
    total += weight;
  }
  return { weights, total };
}
