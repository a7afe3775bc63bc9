import { mergePairs } from "./merge-pairs.js";
import { PairRanks } from "./pair-ranks.js";
import { readVocabulary, type WordModel } from "./vocabulary.js";

/**
 * Byte-pair encoding as tiktoken has it: there is no list of merges, two neighbours are joined where they make a token, of all
 * pairs the one whose token has the lowest id. Undefined for any other model. Tokens are spelled in the byte alphabet.
 */
export function createTiktokenModel(config: Readonly<Record<string, unknown>>): WordModel | undefined {
  const vocabulary = config.type === "Tiktoken" ? readVocabulary(config.vocab) : undefined;
  if (vocabulary === undefined) return undefined;
  const { idsByToken } = vocabulary;
  const ranks = rankPairs(idsByToken);
  return {
    ...vocabulary,
    ids(word) {
      const whole = idsByToken.get(word);
      if (whole !== undefined) return [whole];
      // Each byte is a token: the reader of the file sees to that.
      return mergePairs(
        Array.from(word, (character) => idsByToken.get(character) ?? 0),
        ranks,
      );
    },
  };
}

/** All ways to cut a token into two. */
function rankPairs(idsByToken: ReadonlyMap<string, number>): PairRanks {
  const pairs: number[] = [];
  let highest = 0;
  for (const [token, id] of idsByToken) {
    highest = Math.max(highest, id);
    for (let cut = 1; cut < token.length; cut += 1) {
      const left = idsByToken.get(token.slice(0, cut));
      const right = left === undefined ? undefined : idsByToken.get(token.slice(cut));
      if (left !== undefined && right !== undefined) pairs.push(left, right, id);
    }
  }
  const ranks = new PairRanks(pairs.length / 3, highest + 1);
  for (let at = 0; at < pairs.length; at += 3) {
    const [left = 0, right = 0, id = 0] = pairs.slice(at, at + 3);
    ranks.set(left, right, id, id);
  }
  return ranks;
}
