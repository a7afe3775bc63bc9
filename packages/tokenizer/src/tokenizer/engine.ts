import { ValidationError } from "@tinkex/base";
import type { TokenizerJson } from "../file-format/tokenizer-json.js";
import { createBytePairModel } from "../models/byte-pair-model.js";
import { createTiktokenModel } from "../models/tiktoken-model.js";
import { createUnigramModel } from "../models/unigram-model.js";
import type { WordModel } from "../models/vocabulary.js";
import { rememberWordIds } from "../models/word-ids.js";
import { createWordLevelModel } from "../models/word-level-model.js";
import { createWordPieceModel } from "../models/word-piece-model.js";
import { createDecoder } from "../steps/decoder.js";
import type { DecoderPart } from "../steps/decoding.js";
import { createNormalizer } from "../steps/normalizer.js";
import { type Affixes, readPostProcessor } from "../steps/post-processor.js";
import { createPreTokenizer } from "../steps/pre-tokenizer.js";
import { byteLevelTokenBytes } from "../text/byte-level.js";
import { type TokenText, textOfTokenBytes } from "../text/token-text.js";

/**
 * The steps of a tokenizer but for added tokens (see `added-token-splitter.ts`): normalising, splitting into words, the
 * model, decoding, each as Rust's `tokenizers` 0.23 does it. `@huggingface/tokenizers` reads the patterns (see
 * `pattern-finder.ts`).
 */
export interface Engine {
  normalize(text: string): string;
  /** Ids of normalised text without added tokens. `isFirst`: it begins the text that was given. */
  encode(text: string, isFirst: boolean): number[];
  /** The text of tokens as the vocabulary writes them. */
  readonly text: TokenText;
  /** Begins a text whose tokens come one by one. */
  readonly startDecoding: DecoderPart;
  /** The bytes of a token as the vocabulary writes it, where every token stands for fixed bytes. */
  readonly tokenBytes: ((token: string) => Uint8Array) | undefined;
  /** The token of an id, added tokens aside. */
  token(id: number): string | undefined;
  /** The id of a token, added tokens aside. */
  tokenId(token: string): number | undefined;
  /** Number of tokens, added ones aside. */
  readonly size: number;
  /** The ids put before and after a text when special tokens are asked for. */
  readonly affixes: Affixes;
}

/** @throws ValidationError when a part of the tokenizer is not known. */
export function createEngine(json: TokenizerJson): Engine {
  const { split, spell } = createPreTokenizer(json.pre_tokenizer);
  const model = createModel(json.model);
  const tokenBytes = json.decoder?.type === "ByteLevel" ? byteLevelTokenBytes() : undefined;
  const idsOfWord = rememberWordIds((word) => model.ids(spell(word)));
  const decoder = createDecoder(json.decoder);

  return {
    normalize: createNormalizer(json.normalizer),
    encode(text, isFirst) {
      const ids: number[] = [];
      for (const word of split(text, isFirst)) for (const id of idsOfWord(word)) ids.push(id);
      return ids;
    },
    // Byte-level text is put together here: faster, as no token waits for another.
    text: tokenBytes === undefined ? (tokens) => decodeAll(decoder, tokens) : textOfTokenBytes(tokenBytes),
    startDecoding: decoder,
    tokenBytes,
    token: (id) => model.tokensById[id],
    tokenId: (token) => model.idsByToken.get(token),
    size: model.idsByToken.size,
    affixes: readPostProcessor(json.post_processor),
  };
}

/** Makers of models, each for its kind; tried in the order in which Rust tries them where a file names no kind. */
const MODELS = [
  createBytePairModel,
  createWordPieceModel,
  createWordLevelModel,
  createUnigramModel,
  createTiktokenModel,
];

function createModel(config: TokenizerJson["model"]): WordModel {
  for (const create of MODELS) {
    const model = create({ ...config });
    if (model !== undefined) return model;
  }
  throw new ValidationError(
    `model of this tokenizer.json must be a BPE, WordPiece, WordLevel or Unigram with its vocabulary, got ${JSON.stringify(config.type)}; register a source that gives your own tokenizer for it`,
  );
}

function decodeAll(decoder: DecoderPart, tokens: readonly string[]): string {
  const decoding = decoder();
  const pieces: string[] = [];
  for (const token of tokens) for (const piece of decoding.push(token)) pieces.push(piece);
  return [...pieces, ...decoding.end()].join("");
}
