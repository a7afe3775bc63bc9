import { ValidationError } from "@tinkex/base";
import { widthAt } from "../text/code-points.js";
import { PrefixIndex } from "../text/prefix-index.js";
import { byteTokens } from "./byte-tokens.js";
import { unknownTokenFor } from "./unknown-token.js";
import type { WordModel } from "./vocabulary.js";

/** Says how much less an unknown character counts than the least likely token. */
const UNKNOWN_PENALTY = 10;

/**
 * Unigram, the model of SentencePiece's family: of all ways to cut a word into tokens the likeliest. One pass over the
 * word keeps the best way to each place, as Rust's `encode_optimized` does. Undefined for any other model.
 *
 * @throws ValidationError when an entry of the vocabulary is no pair of a token and its logarithmic probability.
 */
export function createUnigramModel(config: Readonly<Record<string, unknown>>): WordModel | undefined {
  const { type, vocab, unk_id: unknownId, byte_fallback: hasByteFallback } = config;
  if (!Array.isArray(vocab) || (type !== "Unigram" && type !== undefined)) return undefined;
  const { tokensById, idsByToken, scores } = readScores(vocab);
  const unknownScore = scores.reduce((least, score) => Math.min(least, score), Number.POSITIVE_INFINITY) - UNKNOWN_PENALTY;
  const idsOfBytes = hasByteFallback === true ? byteTokens(idsByToken) : () => undefined;
  const unknownToken = typeof unknownId === "number" ? tokensById[unknownId] : undefined;
  const unknown = unknownTokenFor(unknownToken, idsByToken);
  const index = new PrefixIndex([...idsByToken.keys()].filter((token) => token !== ""));

  const scoresByPlace = Float64Array.from(index.words, (token) => scores[idsByToken.get(token) ?? 0] ?? 0);

  /** The ids of a piece that may be several unknown characters in a row. */
  const idsOfPiece = (piece: string): readonly number[] => {
    const id = idsByToken.get(piece);
    if (id !== undefined) return [id];
    const bytes = idsOfBytes(piece);
    if (bytes !== undefined) return bytes;
    return [unknown(piece)];
  };

  return {
    tokensById,
    idsByToken,
    ids(word) {
      const bestScores = new Float64Array(word.length + 1).fill(Number.NEGATIVE_INFINITY);
      /** Marks where the last token on the best way to a place begins; less than zero for an unknown character, one off. */
      const origins = new Int32Array(word.length + 1);
      bestScores[0] = 0;
      let [at, width, before, isKnown] = [0, 1, 0, false];
      const offer = (length: number, score: number, origin: number): void => {
        if (before + score <= (bestScores[at + length] ?? 0)) return;
        bestScores[at + length] = before + score;
        origins[at + length] = origin;
      };
      const offerToken = (token: string, place: number): void => {
        offer(token.length, scoresByPlace[place] ?? 0, at);
        if (token.length === width) isKnown = true;
      };
      for (; at < word.length; at += width) {
        width = widthAt(word, at);
        before = bestScores[at] ?? 0;
        isKnown = false;
        index.visit(word, at, offerToken);
        if (!isKnown) offer(width, unknownScore, -1 - at);
      }
      return piecesOnTheWay(word, origins, unknownToken).flatMap(idsOfPiece);
    },
  };
}

function readScores(vocab: readonly unknown[]) {
  const tokensById: string[] = [];
  const scores: number[] = [];
  for (const [id, entry] of vocab.entries()) {
    const [token, score]: unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof token !== "string" || typeof score !== "number") {
      throw new ValidationError(
        `model.vocab[${id}] of this tokenizer.json must be a token and its score, got something else; download it again`,
      );
    }
    tokensById.push(token);
    scores.push(score);
  }
  return { tokensById, scores, idsByToken: new Map(tokensById.map((token, id) => [token, id])) };
}

/** The pieces in order; unknown characters in a row are one piece, the unknown token's own spelling with them, as in Rust. */
function piecesOnTheWay(word: string, origins: Int32Array, unknownToken: string | undefined): string[] {
  const pieces: string[] = [];
  let endOfUnknown = 0;
  for (let end = word.length; end > 0; ) {
    const origin = origins[end] ?? 0;
    const start = origin < 0 ? -1 - origin : origin;
    const piece = word.slice(start, end);
    if (origin < 0 || piece === unknownToken) endOfUnknown ||= end;
    else {
      if (endOfUnknown > 0) pieces.push(word.slice(end, endOfUnknown));
      endOfUnknown = 0;
      pieces.push(piece);
    }
    end = start;
  }
  if (endOfUnknown > 0) pieces.push(word.slice(0, endOfUnknown));
  return pieces.reverse();
}
