import { MinHeap } from "./min-heap.js";
import { readVocabulary, type WordModel } from "./vocabulary.js";

/** The part of a `tokenizer.json` that describes the model. */
export interface BytePairConfig {
  readonly type?: string;
  readonly vocab?: unknown;
  readonly merges?: unknown;
  readonly ignore_merges?: unknown;
}

/** Settings that the models here do not have: a config that gives one of them is left to the engine library. */
const FOREIGN_SETTINGS = [
  "dropout",
  "unk_token",
  "continuing_subword_prefix",
  "end_of_word_suffix",
  "byte_fallback",
];

/**
 * Byte-pair encoding as all byte-level model families have it; undefined for any other model. It gives the ids that the engine
 * library gives, and is here because of the time to load: the library writes each of 150,000 merges as JSON to find it again,
 * and lists the vocabulary twice.
 *
 * Words must be spelled in the byte alphabet, which has no space.
 */
export function createBytePairModel(config: BytePairConfig): WordModel | undefined {
  const settings = new Map(Object.entries(config));
  if (config.type !== "BPE" || FOREIGN_SETTINGS.some((name) => Boolean(settings.get(name)))) return undefined;
  const ranks = rankMerges(config.merges);
  const vocabulary = readVocabulary(config.vocab);
  if (ranks === undefined || vocabulary === undefined) return undefined;
  const { idsByToken, tokensById } = vocabulary;
  const wholeWords = config.ignore_merges === true;

  return {
    idsByToken,
    tokensById,
    ids(word) {
      const whole = wholeWords ? idsByToken.get(word) : undefined;
      if (whole !== undefined) return [whole];
      const ids: number[] = [];
      for (const token of mergePairs([...word], ranks)) {
        const id = idsByToken.get(token);
        if (id !== undefined) ids.push(id);
      }
      return ids;
    },
  };
}

/** The place of each merge in the list, by {@link pairKey}. A merge is a pair or, in older files, both parts in one string. */
function rankMerges(merges: unknown): Map<string, number> | undefined {
  if (!Array.isArray(merges)) return undefined;
  const ranks = new Map<string, number>();
  for (let rank = 0; rank < merges.length; rank += 1) {
    const key = keyOfMerge(merges[rank]);
    if (key === undefined) return undefined;
    ranks.set(key, rank);
  }
  return ranks;
}

function keyOfMerge(merge: unknown): string | undefined {
  if (typeof merge === "string") return merge.split(" ", 3).length === 2 ? merge : undefined;
  if (!Array.isArray(merge)) return undefined;
  const [left, right]: unknown[] = merge;
  return typeof left === "string" && typeof right === "string" ? pairKey(left, right) : undefined;
}

/** One text for two: no token of a word has a space. */
function pairKey(left: string, right: string): string {
  return `${left} ${right}`;
}

const NONE = -1;

/** Joins neighbours until no merge is left: of all pairs the one whose merge comes first in the list, of equals the leftmost. */
function mergePairs(symbols: string[], ranks: ReadonlyMap<string, number>): string[] {
  const { length } = symbols;
  if (length < 2) return symbols;
  // A joined pair stands in its first place; the others are skipped by these links.
  const next = symbols.map((_, index) => index + 1);
  const previous = symbols.map((_, index) => index - 1);
  /** Of the pair that begins at a place. */
  const pairRanks: number[] = new Array(length).fill(NONE);
  const queue = new MinHeap();

  const rankPair = (at: number): void => {
    const [left, right] = [symbols[at], symbols[next[at] ?? length]];
    const rank = left === undefined || right === undefined ? undefined : ranks.get(pairKey(left, right));
    pairRanks[at] = rank ?? NONE;
    // Rank and place in one number, ordered by rank first.
    if (rank !== undefined) queue.push(rank * length + at);
  };

  for (let at = 0; at + 1 < length; at += 1) rankPair(at);
  for (let first = queue.pop(); first !== undefined; first = queue.pop()) {
    const at = first % length;
    // The neighbour that stood there when this was queued may be joined with another one by now.
    if (pairRanks[at] !== (first - at) / length) continue;
    const right = next[at] ?? length;
    const after = next[right] ?? length;
    symbols[at] = `${symbols[at]}${symbols[right]}`;
    pairRanks[right] = NONE;
    next[at] = after;
    if (after < length) previous[after] = at;
    rankPair(at);
    const before = previous[at] ?? NONE;
    if (before !== NONE) rankPair(before);
  }

  const merged: string[] = [];
  for (let at = 0; at < length; at = next[at] ?? length) merged.push(symbols[at] ?? "");
  return merged;
}
