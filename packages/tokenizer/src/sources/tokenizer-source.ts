import type { Tokenizer } from "@tinkex/base";

/** Request for a tokenizer, as a source gets it. */
export interface TokenizerRequest {
  /** The resolved id, mostly `org/name` of the Hugging Face hub. */
  readonly id: string;
  /** A branch, tag or commit; a source has a default of its own. */
  readonly revision?: string;
  /** Aborts when nobody waits for the tokenizer any more. */
  readonly signal?: AbortSignal;
}

/**
 * Source of tokenizers: gives the one asked for, or undefined when it has none of that name. An error means that
 * it should have it and cannot give it.
 */
export type TokenizerSource = (
  request: TokenizerRequest,
) => Tokenizer | undefined | Promise<Tokenizer | undefined>;
