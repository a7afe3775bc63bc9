import { checkFunction, checkObject, type Tokenizer } from "@tinkex/base";
import type { NamedTokens } from "@tinkex/tokenizer";

/** Part of a tokenizer that a renderer needs: one of `@tinkex/tokenizer`, or any object that does the same. */
export interface RendererTokenizer extends Pick<Tokenizer, "encode" | "decode" | "tokenId"> {
  /** The tokens by purpose. Only `role_colon` asks: for `bos`, and for `eos` to know a response that ended by it. */
  readonly namedTokens?: NamedTokens;
  /** The tokens beside the vocabulary, special or not, by their spelling. Only the option `literalText` asks. */
  readonly addedTokens?: ReadonlyMap<string, number>;
}

/** Checks that plain JavaScript passed a tokenizer, e.g. not the promise of one. @throws ValidationError naming what is missing */
export function checkTokenizer(tokenizer: RendererTokenizer): void {
  checkObject(tokenizer, "tokenizer", "await getTokenizer(model)");
  for (const method of ["encode", "decode", "tokenId"] as const) {
    checkFunction(tokenizer[method], `tokenizer.${method}`);
  }
}
