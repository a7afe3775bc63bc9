import type { PairRanks } from "./pair-ranks.js";
import { RankQueue } from "./rank-queue.js";

const NONE = -1;
/** Longer words go through a queue; of shorter ones the first merge is found faster by looking at each. */
const MAX_SHORT = 24;

/** Joins neighbours until no merge is left: of all pairs the one whose merge comes first in the list, of equals the leftmost. */
export function mergePairs(symbols: number[], ranks: PairRanks): number[] {
  if (symbols.length < 2) return symbols;
  return symbols.length <= MAX_SHORT ? mergeShort(symbols, ranks) : mergeLong(symbols, ranks);
}

function mergeShort(symbols: number[], ranks: PairRanks): number[] {
  const pairRanks: number[] = [];
  for (let at = 0; at + 1 < symbols.length; at += 1) {
    pairRanks.push(ranks.rank(symbols[at] ?? NONE, symbols[at + 1] ?? NONE));
  }
  for (;;) {
    let [first, least] = [NONE, Number.POSITIVE_INFINITY];
    for (let at = 0; at < pairRanks.length; at += 1) {
      const rank = pairRanks[at] ?? NONE;
      if (rank !== NONE && rank < least) [first, least] = [at, rank];
    }
    if (first === NONE) return symbols;
    const joined = ranks.joined(least);
    symbols.splice(first, 2, joined);
    pairRanks.splice(first, 1);
    if (first > 0) pairRanks[first - 1] = ranks.rank(symbols[first - 1] ?? NONE, joined);
    if (first < pairRanks.length) pairRanks[first] = ranks.rank(joined, symbols[first + 1] ?? NONE);
  }
}

function mergeLong(given: readonly number[], ranks: PairRanks): number[] {
  const { length } = given;
  const symbols = Int32Array.from(given);
  // A joined pair stands in its first place; the others are skipped by these links.
  const next = new Int32Array(length);
  const previous = new Int32Array(length);
  /** Of the pair that begins at a place. */
  const pairRanks = new Int32Array(length).fill(NONE);
  const queue = new RankQueue(length);

  const rankPair = (at: number): void => {
    const after = next[at] ?? length;
    const rank = after < length ? ranks.rank(symbols[at] ?? NONE, symbols[after] ?? NONE) : NONE;
    pairRanks[at] = rank;
    if (rank !== NONE) queue.push(rank, at);
  };

  for (let at = 0; at < length; at += 1) {
    next[at] = at + 1;
    previous[at] = at - 1;
    rankPair(at);
  }
  while (queue.pop()) {
    const { place: at, rank } = queue;
    // The neighbour that stood there when this was queued may be joined with another one by now.
    if (pairRanks[at] !== rank) continue;
    const right = next[at] ?? length;
    const after = next[right] ?? length;
    symbols[at] = ranks.joined(rank);
    pairRanks[right] = NONE;
    next[at] = after;
    if (after < length) previous[after] = at;
    rankPair(at);
    const before = previous[at] ?? NONE;
    if (before !== NONE) rankPair(before);
  }

  const merged: number[] = [];
  for (let at = 0; at < length; at = next[at] ?? length) merged.push(symbols[at] ?? NONE);
  return merged;
}
