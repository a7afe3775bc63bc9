import { checkFunction, checkKnownNames, checkNumberList, checkObject, type Tokenizer } from "@tinkex/base";
import { DECODE_OPTIONS, type DecodeOptions, isTextTokenizer, type TextTokenizer } from "./text-tokenizer.js";
import { tokenIdAt } from "./token-id-at.js";

/** Turns ids that arrive one after the other into text, never giving out half a character. */
export interface StreamDecoder {
  /** Text that the next ids complete, `""` while a character is unfinished. */
  push(ids: number | ArrayLike<number>): string;
  /** The rest: what is unfinished becomes U+FFFD. The decoder then starts anew. */
  end(): string;
}

/**
 * Makes a decoder for one stream of ids. With a tokenizer of this package all it gives, joined, equals `tokenizer.decode` of
 * all ids. Any other tokenizer is asked to decode a short window again and again; text is then held back while it ends in
 * U+FFFD.
 */
export function createStreamDecoder(
  tokenizer: Tokenizer | TextTokenizer,
  options: DecodeOptions = {},
): StreamDecoder {
  checkObject(tokenizer, "createStreamDecoder: tokenizer", "await getTokenizer(model)");
  checkFunction(tokenizer.decode, "createStreamDecoder: tokenizer.decode");
  checkKnownNames(options, DECODE_OPTIONS, "the options of createStreamDecoder");
  const { push, end } = singleDecoder(tokenizer, options);
  return {
    push(ids) {
      if (typeof ids === "number") return push(ids);
      checkNumberList(ids, "push: ids");
      let text = "";
      for (let at = 0; at < ids.length; at += 1) text += push(tokenIdAt(ids, at, "push: ids"));
      return text;
    },
    end,
  };
}

function singleDecoder(tokenizer: Tokenizer | TextTokenizer, options: DecodeOptions): SingleDecoder {
  if (!isTextTokenizer(tokenizer)) return windowDecoder(tokenizer, options);
  if (tokenizer.tokenBytes !== undefined) {
    const skipped = options.skipSpecialTokens ? tokenizer.specialTokens.values() : [];
    return byteDecoder(tokenizer.tokenBytes, new Set(skipped));
  }
  const start = tokenizer.startDecoding?.bind(tokenizer, options);
  return start === undefined ? windowDecoder(tokenizer, options) : renewed(start);
}

/** Begins a new text when one has ended. */
function renewed(start: () => SingleDecoder): SingleDecoder {
  let decoding = start();
  return {
    push: (id) => decoding.push(id),
    end() {
      const rest = decoding.end();
      decoding = start();
      return rest;
    },
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
