import type { Tokenizer } from "@tinkex/base";
import type { NamedTokens } from "../file-format/tokenizer-config.js";

/** Options with which a text is encoded. */
export interface EncodeOptions {
  /** Puts the ids around it that the model expects around a document, e.g. a begin-of-text id. @defaultValue false */
  readonly addSpecialTokens?: boolean;
  /**
   * Special tokens that become their id where they are spelled out in the text. By default none: a user who types
   * `<|im_end|>` has typed ten characters. `"all"` is what Python's `tokenizer.encode(text)` does. Added tokens that
   * are not special (such as Qwen3's `<think>`) always become their id, there as here.
   * @defaultValue []
   */
  readonly allowedSpecial?: "all" | readonly string[];
  /**
   * Offsets in the text, in UTF-16 units: a special token that holds one of them stays text although `allowedSpecial`
   * allows it. For callers who put a text together from their own words and other people's.
   * @defaultValue none
   */
  readonly literalOffsets?: ReadonlySet<number>;
  /**
   * Lets `literalOffsets` keep added tokens that are not special (such as Qwen3's `<think>`) as text, too.
   * @defaultValue false
   */
  readonly literalAdded?: boolean;
}

/** Options with which ids are decoded. */
export interface DecodeOptions {
  /** Leaves special tokens out. @defaultValue false */
  readonly skipSpecialTokens?: boolean;
}

/** The names of {@link EncodeOptions}. */
export const ENCODE_OPTIONS: Readonly<Record<keyof EncodeOptions, true>> = {
  addSpecialTokens: true,
  allowedSpecial: true,
  literalOffsets: true,
  literalAdded: true,
};

/** The names of {@link DecodeOptions}. */
export const DECODE_OPTIONS: Readonly<Record<keyof DecodeOptions, true>> = { skipSpecialTokens: true };

/** Decoding of one text, id by id. */
export interface TextDecoding {
  /** Text that the id completes. */
  push(id: number): string;
  /** The rest, once. */
  end(): string;
}

/** Tokenizer that {@link createTokenizer} makes: a {@link Tokenizer} that also knows its special tokens. */
export interface TextTokenizer extends Tokenizer {
  /**
   * Ids of `text`. A lone surrogate (half of a cut character) counts as U+FFFD.
   * @throws ValidationError when `allowedSpecial` names a token that is none.
   */
  encode(text: string, options?: EncodeOptions): number[];
  /**
   * Text of `ids`, `""` for none. Spaces are never cleaned up. Ids outside the vocabulary add nothing; bytes that are
   * half a character become U+FFFD.
   */
  decode(ids: ArrayLike<number>, options?: DecodeOptions): string;
  /**
   * Begins a text whose ids come one by one: all that `push` and then `end` give, joined, is what `decode` gives of all ids.
   * Text waits while later ids may still change it. See {@link createStreamDecoder}, which uses it.
   */
  startDecoding?(options?: DecodeOptions): TextDecoding;
  /** The token of an id as it is written in the vocabulary, e.g. `Ġhello`. */
  token(id: number): string | undefined;
  /**
   * The bytes an id stands for, none for ids outside the vocabulary. Undefined where the vocabulary is not byte-level,
   * so that the text of a token depends on its neighbours.
   */
  readonly tokenBytes: ((id: number) => Uint8Array) | undefined;
  /** The tokens that the config names by their purpose, e.g. `eos`. */
  readonly namedTokens: NamedTokens;
  /** The chat templates (Jinja) by name; a model with one calls it `default`. */
  readonly chatTemplates: ReadonlyMap<string, string>;
  /** The special tokens by their spelling. */
  readonly specialTokens: ReadonlyMap<string, number>;
  /** All tokens beside the vocabulary by their spelling, special or not (such as Qwen3's `<think>`). */
  readonly addedTokens: ReadonlyMap<string, number>;
}

/** Tells whether a tokenizer is one that `createTokenizer` made, which knows more than any {@link Tokenizer} must. */
export function isTextTokenizer(tokenizer: Tokenizer | TextTokenizer): tokenizer is TextTokenizer {
  if (typeof tokenizer !== "object" || tokenizer === null) return false;
  return "chatTemplates" in tokenizer && "specialTokens" in tokenizer && "tokenBytes" in tokenizer;
}
