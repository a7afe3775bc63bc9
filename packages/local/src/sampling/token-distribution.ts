import type { Logits } from "./logprobs.js";
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

/** Tokens that may be drawn, with probabilities that sum to 1 up to rounding. */
export interface TokenDistribution {
  /** Best first when a filter is on, else in order of the ids. */
  readonly ids: ArrayLike<number>;
  readonly probabilities: ArrayLike<number>;
}

/**
 * The distribution the next token is drawn from: temperature, then top-k, then top-p, each on what the one before left.
 * Top-p keeps a token when the probability strictly before it, best first, is below `topP`, so at least one stays.
 * Equal logits rank by id, lower first, and top-k keeps exactly k. Temperature 0 leaves the best token alone.
 */
export function tokenDistribution(logits: Logits, filter: TokenFilter): TokenDistribution {
  const { temperature, topK, topP } = filter;
  if (temperature === 0) return { ids: [argmax(logits)], probabilities: [1] };
  const keepsK = topK > 0 && topK < logits.length;
  if (!keepsK && topP >= 1)
    return { ids: everyId(logits.length), probabilities: softmax(logits, temperature) };
  if (!keepsK) return nucleus(softmax(logits, temperature), topP);
  const ids = topIds(logits, topK);
  const probabilities = softmax(
    Float64Array.from(ids, (id) => logits[id] ?? -Infinity),
    temperature,
  );
  if (topP >= 1) return { ids, probabilities };
  const kept = nucleus(probabilities, topP);
  return { ids: Array.from(kept.ids, (rank) => ids[rank] ?? 0), probabilities: kept.probabilities };
}

/** The token that a uniform number in [0, 1) points at. */
export function drawToken({ ids, probabilities }: TokenDistribution, uniform: number): number {
  let rest = uniform;
  let last = 0;
  for (let i = 0; i < ids.length; i += 1) {
    const probability = probabilities[i] ?? 0;
    if (probability === 0) continue;
    last = ids[i] ?? 0;
    rest -= probability;
    if (rest < 0) return last;
  }
  // Rounding can leave the sum a little below 1.
  return last;
}

/** The likeliest entries whose mass before them is below `topP`, renormalised. `ids` are indices of `probabilities`. */
function nucleus(probabilities: Float64Array, topP: number): TokenDistribution {
  // Entries below this level hold less than 1 − topP together, so the nucleus ends before the first of them. Leaving
  // them out first keeps the sort short for a large vocabulary.
  const level = (1 - topP) / probabilities.length;
  const candidates: number[] = [];
  probabilities.forEach((probability, id) => {
    if (probability >= level) candidates.push(id);
  });
  sortBestFirst(candidates, probabilities);
  let mass = 0;
  let count = 0;
  while (count < candidates.length && (count === 0 || mass < topP)) {
    mass += probabilities[candidates[count] ?? 0] ?? 0;
    count += 1;
  }
  const ids = candidates.slice(0, count);
  return { ids, probabilities: Float64Array.from(ids, (id) => (probabilities[id] ?? 0) / mass) };
}

function softmax(logits: Logits, temperature: number): Float64Array {
  let max = -Infinity;
  for (const logit of logits) if (logit > max) max = logit;
  const probabilities = new Float64Array(logits.length);
  let sum = 0;
  for (let id = 0; id < logits.length; id += 1) {
    const weight = Math.exp(((logits[id] ?? -Infinity) - max) / temperature);
    probabilities[id] = weight;
    sum += weight;
  }
  for (let id = 0; id < probabilities.length; id += 1) probabilities[id] = (probabilities[id] ?? 0) / sum;
  return probabilities;
}

function everyId(count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, id) => id);
}
