import type { Tokenizer } from "@tinkex/base";
import { type DecodeOptions, isTextTokenizer, type TextTokenizer } from "./text-tokenizer.js";

/** Turns ids that arrive one after the other into text, never giving out half a character. */
export interface StreamDecoder {
  /** Text that the next ids complete, `""` while a character is unfinished. */
  push(ids: number | ArrayLike<number>): string;
  /** The rest: what is unfinished becomes U+FFFD. The decoder then starts anew. */
  end(): string;
}

/**
 * Makes a decoder for one stream of ids. With a byte-level tokenizer of this package all it gives, joined, equals
 * `tokenizer.decode` of all ids. Any other tokenizer is asked to decode a short window again and again; text is then
 * held back while it ends in U+FFFD.
 */
export function createStreamDecoder(
  tokenizer: Tokenizer | TextTokenizer,
  options: DecodeOptions = {},
): StreamDecoder {
  const { push, end } =
    isTextTokenizer(tokenizer) && tokenizer.tokenBytes !== undefined
      ? byteDecoder(
          tokenizer.tokenBytes,
          new Set(options.skipSpecialTokens ? tokenizer.specialTokens.values() : []),
        )
      : windowDecoder(tokenizer, options);
  return {
    push: (ids) => (typeof ids === "number" ? push(ids) : Array.from(ids, push).join("")),
    end,
  };
}

interface SingleDecoder {
  push(id: number): string;
  end(): string;
}

/** UTF-8 decoding is what streams; ids are only names of bytes. */
function byteDecoder(tokenBytes: (id: number) => Uint8Array, skipped: ReadonlySet<number>): SingleDecoder {
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  return {
    push: (id) => (skipped.has(id) ? "" : utf8.decode(tokenBytes(id), { stream: true })),
    end: () => utf8.decode(),
  };
}

/** A character takes four ids at most; more are held back only where ids are no text at all, and not for ever. */
const MAX_HELD_IDS = 16;

/**
 * Decodes the ids since the last clean border together with those before it, since some tokenizers drop or add a
 * space at the beginning of a text, and gives out what is new.
 */
function windowDecoder(tokenizer: Tokenizer, options: DecodeOptions): SingleDecoder {
  let context: number[] = [];
  let pending: number[] = [];
  const release = (mustBeWhole: boolean): string => {
    const before = tokenizer.decode(context, options);
    const text = tokenizer.decode([...context, ...pending], options).slice(before.length);
    if (mustBeWhole && text.endsWith("\uFFFD") && pending.length < MAX_HELD_IDS) return "";
    // Ids without a text (skipped ones) are no context for what follows.
    if (text !== "") context = pending;
    pending = [];
    return text;
  };
  return {
    push(id) {
      pending.push(id);
      return release(true);
    },
    end() {
      const rest = pending.length === 0 ? "" : release(false);
      context = [];
      return rest;
    },
  };
}
