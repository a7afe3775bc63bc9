import type { TokenizerJson } from "../file-format/tokenizer-json.js";
import { createBytePairModel } from "../models/byte-pair-model.js";
import { createUnigramModel } from "../models/unigram-model.js";
import { readVocabulary, type Vocabulary } from "../models/vocabulary.js";
import { rememberWordIds } from "../models/word-ids.js";
import { createWordPieceModel } from "../models/word-piece-model.js";
import { createDecoder } from "../steps/decoder.js";
import { buildWithLibrary, made, runWithLibrary } from "../steps/library-part.js";
import { createNormalizer } from "../steps/normalizer.js";
import { createPreTokenizer } from "../steps/pre-tokenizer.js";
import { withoutByteSpelling } from "../steps/without-byte-spelling.js";
import { byteLevelTokenBytes, spellBytes } from "../text/byte-level.js";
import { type TokenText, textOfTokenBytes } from "../text/token-text.js";

/**
 * The steps of a tokenizer but for added tokens (see `added-token-splitter.ts`): normalising, splitting into words, the
 * model, decoding. `@huggingface/tokenizers` does the parts that it does right and in linear time; the others are here
 * and in `steps`.
 */
export interface Engine {
  normalize(text: string): string;
  /** Ids of normalised text without added tokens. `isFirst`: it begins the text that was given. */
  encode(text: string, isFirst: boolean): number[];
  /** The text of tokens as the vocabulary writes them. */
  readonly text: TokenText;
  /** The bytes of a token as the vocabulary writes it, where every token stands for fixed bytes. */
  readonly tokenBytes: ((token: string) => Uint8Array) | undefined;
  /** The token of an id, added tokens aside. */
  token(id: number): string | undefined;
  /** The id of a token, added tokens aside. */
  tokenId(token: string): number | undefined;
  /** Number of tokens, added ones aside. */
  readonly size: number;
  /** The names of the tokens put before and after a text when special tokens are asked for. */
  readonly affixes: { readonly prefix: readonly string[]; readonly suffix: readonly string[] };
}

/** @throws ValidationError when the library does not know a part of the tokenizer. */
export function createEngine(json: TokenizerJson, config: Readonly<Record<string, unknown>>): Engine {
  // Encodes words one by one and remembers them where one word's ids cannot depend on another's.
  const wordsOnly = json.model.fuse_unk === true ? undefined : withoutByteSpelling(json.pre_tokenizer);
  const pairs = wordsOnly === undefined ? undefined : createBytePairModel(json.model);
  const own = pairs ?? createWordPieceModel(json.model) ?? createUnigramModel(json.model);
  const library = own === undefined ? libraryModel(json.model, config) : undefined;
  const split = createPreTokenizer(wordsOnly ?? json.pre_tokenizer);
  const tokenBytes = json.decoder?.type === "ByteLevel" ? byteLevelTokenBytes() : undefined;
  const { idsByToken, tokensById } = own ?? library ?? NO_VOCABULARY;
  const spell = wordsOnly === undefined ? (word: string) => word : spellBytes;
  const idsOfWord = rememberWordIds(
    (word) => own?.ids(spell(word)) ?? library?.idsOfWords([spell(word)]) ?? [],
  );

  return {
    normalize: createNormalizer(json.normalizer),
    encode(text, isFirst) {
      const words = split(text, isFirst);
      if (library !== undefined && wordsOnly === undefined) return library.idsOfWords(words);
      const ids: number[] = [];
      for (const word of words) for (const id of idsOfWord(word)) ids.push(id);
      return ids;
    },
    // Byte-level text is put together here: faster, and right for added tokens outside the byte alphabet.
    text: tokenBytes === undefined ? createDecoder(json.decoder) : textOfTokenBytes(tokenBytes),
    tokenBytes,
    token: (id) => tokensById[id],
    tokenId: (token) => idsByToken.get(token),
    size: idsByToken.size,
    affixes: affixesOf(json.post_processor),
  };
}

const NO_VOCABULARY: Vocabulary = { idsByToken: new Map(), tokensById: [] };

/** A model that the library runs; the ids of a word may depend on the words beside it. */
interface LibraryModel extends Vocabulary {
  idsOfWords(words: string[]): number[];
}

function libraryModel(config: object, tokenizerConfig: Readonly<Record<string, unknown>>): LibraryModel {
  const { vocab } = config as { readonly vocab?: unknown };
  readVocabulary(vocab);
  const model = made(buildWithLibrary({ model: config }, tokenizerConfig).model, "model");
  return {
    idsByToken: model.tokens_to_ids,
    tokensById: model.vocab,
    idsOfWords(words) {
      const ids: number[] = [];
      for (const token of model(words)) {
        const id = model.tokens_to_ids.get(token) ?? model.unk_token_id;
        if (id !== undefined) ids.push(id);
      }
      return ids;
    },
  };
}

/** Finds what a post-processor puts around a text by giving it a text of one known token. */
function affixesOf(section: object | null): Engine["affixes"] {
  if (section === null) return { prefix: [], suffix: [] };
  const marker = "\u0000text\u0000";
  const postProcess = made(buildWithLibrary({ post_processor: section }).post_processor, "post_processor");
  const processed = runWithLibrary(() => postProcess([marker], null, true).tokens ?? [marker]);
  const at = processed.indexOf(marker);
  return { prefix: processed.slice(0, Math.max(0, at)), suffix: processed.slice(at + 1) };
}
