import { ValidationError } from "@tinkex/base";
import { byteTokens } from "./byte-tokens.js";
import { mergePairs } from "./merge-pairs.js";
import { PairRanks } from "./pair-ranks.js";
import { unknownTokenFor } from "./unknown-token.js";
import { readVocabulary, type Vocabulary, type WordModel } from "./vocabulary.js";

/** The part of a `tokenizer.json` that describes the model. */
export interface BytePairConfig {
  readonly type?: string;
  readonly vocab?: unknown;
  readonly merges?: unknown;
  readonly ignore_merges?: unknown;
  readonly unk_token?: unknown;
  readonly fuse_unk?: unknown;
  readonly byte_fallback?: unknown;
  readonly continuing_subword_prefix?: unknown;
  readonly end_of_word_suffix?: unknown;
}

/**
 * Byte-pair encoding, by ids as Rust's `tokenizers` has it (`models/bpe/model.rs`); undefined for any other model. `dropout`,
 * which makes ids random in training, is left out: no merge is.
 *
 * @throws ValidationError when a merge is no pair of two tokens that make a third.
 */
export function createBytePairModel(config: BytePairConfig): WordModel | undefined {
  const { type, merges, vocab } = config;
  if (type !== "BPE" && (type !== undefined || merges === undefined)) return undefined;
  const vocabulary = readVocabulary(vocab);
  if (vocabulary === undefined) return undefined;
  const { idsByToken, tokensById } = vocabulary;
  const ranks = rankMerges(merges, textOf(config.continuing_subword_prefix), vocabulary);
  const symbols = symbolReader(config, idsByToken);
  const wholeWords = config.ignore_merges === true;

  return {
    idsByToken,
    tokensById,
    ids(word) {
      const whole = wholeWords ? idsByToken.get(word) : undefined;
      return whole === undefined ? mergePairs(symbols(word), ranks) : [whole];
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Reads the list of merges. A merge is a pair or, in older files, both parts in one string. */
function rankMerges(merges: unknown, prefix: string, { idsByToken, tokensById }: Vocabulary): PairRanks {
  const list: readonly unknown[] = Array.isArray(merges) ? merges : [];
  if (!Array.isArray(merges)) throw refusedMerges("a list", "something else");
  const ranks = new PairRanks(list.length);
  let joinedId: number | undefined = 0;
  for (let rank = 0; rank < list.length; rank += 1) {
    const merge = list[rank];
    const [left, right, rest]: readonly unknown[] =
      typeof merge === "string" ? merge.split(" ", 3) : Array.isArray(merge) ? merge : [];
    if (typeof left !== "string" || typeof right !== "string" || rest !== undefined) {
      throw refusedMerges("pairs of tokens", JSON.stringify(merge) ?? "nothing", rank);
    }
    const leftId = idsByToken.get(left);
    const rightId = idsByToken.get(right);
    // As a rule the merges stand in the order of the tokens that they make, and a look at the next one saves a string and a search.
    const next: number = joinedId + 1;
    joinedId = isJoined(tokensById[next], left, right, prefix.length)
      ? next
      : idsByToken.get(left + right.slice(prefix.length));
    if (leftId === undefined || rightId === undefined || joinedId === undefined) {
      throw refusedMerges("tokens of the vocabulary", JSON.stringify(merge) ?? "nothing", rank);
    }
    ranks.set(leftId, rightId, rank, joinedId);
  }
  return ranks;
}

/** Tells whether a token is `left` followed by `right` without its prefix. */
function isJoined(token: string | undefined, left: string, right: string, prefixLength: number): boolean {
  return (
    token !== undefined &&
    prefixLength === 0 &&
    token.length === left.length + right.length &&
    token.startsWith(left) &&
    token.endsWith(right)
  );
}

function refusedMerges(wanted: string, got: string, rank?: number): ValidationError {
  const place = rank === undefined ? "" : `[${rank}]`;
  return new ValidationError(
    `model.merges${place} of this tokenizer.json must be ${wanted}, got ${got.slice(0, 80)}; download it again`,
  );
}

/** Makes the function that reads a word as the ids of its characters, unknown ones as bytes or as the unknown token. */
function symbolReader(
  config: BytePairConfig,
  idsByToken: ReadonlyMap<string, number>,
): (word: string) => number[] {
  const prefix = textOf(config.continuing_subword_prefix);
  const suffix = textOf(config.end_of_word_suffix);
  const unknown = unknownTokenFor(config.unk_token, idsByToken);
  const hasUnknown = typeof config.unk_token === "string";
  const idsOfBytes = config.byte_fallback === true ? byteTokens(idsByToken) : () => undefined;
  const isFused = config.fuse_unk === true;

  return (word) => {
    const ids: number[] = [];
    // An unknown token comes after bytes that stand behind it, until the next known character, as in Rust.
    let waiting: number | undefined;
    let at = 0;
    for (const character of word) {
      const start = at;
      at += character.length;
      const begun = start === 0 ? character : prefix + character;
      const symbol = at === word.length ? begun + suffix : begun;
      const id = idsByToken.get(symbol);
      if (id !== undefined) {
        if (waiting !== undefined) ids.push(waiting);
        waiting = undefined;
        ids.push(id);
        continue;
      }
      const bytes = idsOfBytes(symbol);
      if (bytes !== undefined) ids.push(...bytes);
      else if (hasUnknown) {
        if (waiting !== undefined && !isFused) ids.push(waiting);
        waiting = unknown(character);
      }
    }
    if (waiting !== undefined) ids.push(waiting);
    return ids;
  };
}
