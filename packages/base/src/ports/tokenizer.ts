/** Text to token ids and back. `@tinkex/tokenizer` has implementations; any object of this shape will do. */
export interface Tokenizer {
  /** Number of ids, special ones included. */
  readonly vocabularySize: number;
  /**
   * Ids of `text`.
   * @param options.addSpecialTokens - e.g. a begin-of-text id in front. @defaultValue false
   * @param options.allowedSpecial - which special tokens become ids where the text spells them out; the others stay
   * text. An implementation that cannot tell them apart ignores it. @defaultValue []
   */
  encode(
    text: string,
    options?: { readonly addSpecialTokens?: boolean; readonly allowedSpecial?: "all" | readonly string[] },
  ): number[];
  /** Text of `ids`; an id outside the vocabulary adds nothing. @param options.skipSpecialTokens @defaultValue false */
  decode(ids: ArrayLike<number>, options?: { readonly skipSpecialTokens?: boolean }): string;
  /** Id of a token as it is written in the vocabulary, e.g. `<|endoftext|>`. */
  tokenId(token: string): number | undefined;
}
