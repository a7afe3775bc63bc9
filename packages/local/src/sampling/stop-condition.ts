/** Condition that ends a sample before its length does. */
export interface StopCondition {
  /**
   * Tells whether `tokens`, all that was generated so far, ends the sample with its last token. To be asked after each token.
   */
  isMet(tokens: readonly number[]): boolean;
}

type Decode = (ids: readonly number[]) => string;

/**
 * Characters at the start of a tail's text that may differ from the text of the whole: a character that was cut
 * shows as up to three marks, and some tokenizers drop a leading space.
 */
const uncertainCharacters = 4;

/**
 * A sample ends with a stop id, or with the token whose text completes the first occurrence of a stop text. Special
 * tokens count with the text they are written as, so that `<|im_end|>` may be named as a text.
 *
 * @param decode - text of ids, special tokens included; needed only where there are stop texts
 */
export function stopCondition(
  tokenIds: readonly number[],
  texts: readonly string[],
  decode: Decode,
): StopCondition {
  const ids = new Set(tokenIds);
  const longest = texts.reduce((most, { length }) => Math.max(most, length), 0);
  return {
    isMet(tokens) {
      const last = tokens.at(-1);
      if (last === undefined) return false;
      if (ids.has(last)) return true;
      if (texts.length === 0) return false;
      // A stop that was completed before the last token has been found before.
      const text = endOfText(tokens, longest + decode([last]).length, decode);
      return texts.some((stop) => text.includes(stop));
    },
  };
}

/**
 * The last `length` characters, or more, of what tokens say. Tokens are decoded together, since a character may span
 * several of them, but only as many as it takes: to decode all of a long sample at each token would take longer and
 * longer.
 */
function endOfText(tokens: readonly number[], length: number, decode: Decode): string {
  const wanted = length + uncertainCharacters;
  for (let count = wanted; count < tokens.length; count *= 2) {
    const text = decode(tokens.slice(-count));
    if (text.length >= wanted) return text.slice(uncertainCharacters);
  }
  return decode(tokens);
}
