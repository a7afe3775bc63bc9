/** A token added on top of the model's vocabulary, in the spelling of `tokenizer.json`. */
export interface AddedToken {
  readonly id: number;
  /** The text it stands for, e.g. `<|im_end|>`. */
  readonly content: string;
  /** Whether it steers the model rather than being text; such tokens are skipped by `skipSpecialTokens`. */
  readonly special: boolean;
  /** Whether it is looked for in the normalised text rather than in the text as given. */
  readonly normalized: boolean;
  /** Whether it is found only where no word character touches it. */
  readonly single_word: boolean;
  /** Whether it takes the white space before it along. */
  readonly lstrip: boolean;
  /** Whether it takes the white space after it along. */
  readonly rstrip: boolean;
}
