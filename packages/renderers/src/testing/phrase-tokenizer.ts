import type { RendererTokenizer } from "../pieces/renderer-tokenizer.js";

/** A tokenizer that makes one token of any text, so that what takes time is the reading of replies alone. */
export function phraseTokenizer(): RendererTokenizer {
  const phrases: string[] = [];
  const ids = new Map<string, number>();
  const idOf = (phrase: string): number => {
    const id = ids.get(phrase) ?? phrases.push(phrase) - 1;
    ids.set(phrase, id);
    return id;
  };
  return {
    tokenId: idOf,
    encode: (text) => [idOf(text)],
    decode: (tokens) => Array.from(tokens, (id) => phrases[id] ?? "").join(""),
  };
}
