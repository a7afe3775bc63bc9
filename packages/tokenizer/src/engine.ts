import { AddedToken as EngineAddedToken, Tokenizer as EngineTokenizer } from "@huggingface/tokenizers";
import { ValidationError } from "@tinkex/base";
import { byteLevelTokenBytes, spellBytes } from "./byte-level.js";
import { createBytePairModel } from "./byte-pair-model.js";
import { type TokenText, textOfTokenBytes } from "./token-text.js";
import type { TokenizerJson } from "./tokenizer-json.js";
import { withoutByteSpelling } from "./without-byte-spelling.js";
import { rememberWordIds } from "./word-ids.js";

/**
 * The steps of a tokenizer that `@huggingface/tokenizers` does: normalising, splitting into words, the model,
 * decoding. Added tokens and everything around them are done here (see `added-token-splitter.ts`): the library
 * cannot leave special tokens in a text as text, and forgets `single_word`.
 */
export interface Engine {
  normalize(text: string): string;
  /** Ids of normalised text without added tokens. @param first Whether it begins the text that was given. */
  encode(text: string, first: boolean): number[];
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

/** The model that the library is given where ours does its work. */
const NO_PAIRS = { type: "BPE", vocab: {}, merges: [] };

/** @throws ValidationError when the library does not know a part of the tokenizer. */
export function createEngine(json: TokenizerJson, config: Readonly<Record<string, unknown>>): Engine {
  // Where one word's ids cannot depend on another's, words are encoded one by one and remembered.
  const wordsOnly = json.model.fuse_unk === true ? undefined : withoutByteSpelling(json.pre_tokenizer);
  const pairs = wordsOnly === undefined ? undefined : createBytePairModel(json.model);
  const parts = build(
    {
      ...json,
      ...(wordsOnly === undefined ? {} : { pre_tokenizer: wordsOnly }),
      ...(pairs === undefined ? {} : { model: NO_PAIRS }),
    },
    config,
  );
  const { normalizer, pre_tokenizer: split, model, decoder, post_processor: postProcessor } = parts;
  if (model === null) throw new ValidationError("This tokenizer.json has no model.");

  if (decoder !== null) decoder.added_tokens = json.added_tokens.map((token) => new EngineAddedToken(token));
  const tokenBytes = json.decoder?.type === "ByteLevel" ? byteLevelTokenBytes() : undefined;
  const decode: TokenText = (tokens) => (decoder === null ? tokens.join(" ") : decoder([...tokens]));
  const idsByToken = pairs?.idsByToken ?? model.tokens_to_ids;
  const tokensById = pairs?.tokensById ?? model.vocab;

  const idsOf = (words: string[]): number[] => {
    const ids: number[] = [];
    for (const token of model(words)) {
      const id = idsByToken.get(token) ?? model.unk_token_id;
      if (id !== undefined) ids.push(id);
    }
    return ids;
  };
  const idsOfWord = rememberWordIds((word) =>
    pairs === undefined ? idsOf([spellBytes(word)]) : pairs.ids(spellBytes(word)),
  );

  return {
    normalize: (text) => (normalizer === null ? text : normalizer(text)),
    encode(text, first) {
      const words = split === null ? [text] : split(text, { section_index: first ? 0 : 1 });
      if (wordsOnly === undefined) return idsOf(words);
      const ids: number[] = [];
      for (const word of words) for (const id of idsOfWord(word)) ids.push(id);
      return ids;
    },
    // Byte-level text is put together here: faster, and right for added tokens outside the byte alphabet.
    text: tokenBytes === undefined ? decode : textOfTokenBytes(tokenBytes),
    tokenBytes,
    token: (id) => tokensById[id],
    tokenId: (token) => idsByToken.get(token),
    size: idsByToken.size,
    affixes: affixesOf((tokens) => postProcessor?.(tokens, null, true).tokens ?? tokens),
  };
}

function build(json: TokenizerJson, config: Readonly<Record<string, unknown>>): EngineTokenizer {
  try {
    // Without added tokens: the library would look for them itself, and would mix them into the model's vocabulary.
    return new EngineTokenizer({ ...json, added_tokens: [] }, config);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ValidationError(
      `@huggingface/tokenizers cannot run this tokenizer.json: ${reason}. Register a source that gives your own tokenizer for it.`,
      { cause },
    );
  }
}

/** Finds what a post-processor puts around a text by giving it a text of one known token. */
function affixesOf(postProcess: (tokens: string[]) => string[]): Engine["affixes"] {
  const marker = "\u0000text\u0000";
  const processed = postProcess([marker]);
  const at = processed.indexOf(marker);
  return { prefix: processed.slice(0, at), suffix: processed.slice(at + 1) };
}
