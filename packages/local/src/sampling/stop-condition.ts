/** What ends a sample before its length does. */
export interface StopCondition {
  /**
   * Whether `tokens`, all that was generated so far, ends the sample with its last token. To be asked after each token.
   */
  isMet(tokens: readonly number[]): boolean;
}

/**
 * A sample ends with a stop id, or with the token whose text completes the first occurrence of a stop text. Special
 * tokens count with the text they are written as, so that `<|im_end|>` may be named as a text.
 *
 * @param decode text of ids, special tokens included; needed only where there are stop texts
 */
export function stopCondition(
  tokenIds: readonly number[],
  texts: readonly string[],
  decode: (ids: readonly number[]) => string,
): StopCondition {
  const ids = new Set(tokenIds);
  return {
    isMet(tokens) {
      const last = tokens.at(-1);
      if (last !== undefined && ids.has(last)) return true;
      if (texts.length === 0) return false;
      // All of it is decoded again each time: only the whole has a reliable text, since a character may span tokens and
      // some tokenizers join words by what stands before.
      const text = decode(tokens);
      return texts.some((stop) => text.includes(stop));
    },
  };
}
