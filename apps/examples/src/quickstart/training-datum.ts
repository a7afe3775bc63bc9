import type { Tokenizer } from "@tinkex/base";
import { Datum } from "@tinkex/types";
import type { WordPair } from "./parse-word-pairs.js";

/** The token that ends an answer, so that sampling knows where to stop: the model's end of text, or else a line break. */
export function endOfAnswer(tokenizer: Tokenizer): number {
  const [lineBreak = 0] = tokenizer.encode("\n");
  return tokenizer.tokenId("<|endoftext|>") ?? lineBreak;
}

/**
 * A pair as a training example. The model reads all tokens but the last and predicts at each place the next one; only the
 * answer's tokens have a weight, so nothing is learnt from the question itself.
 */
export function trainingDatum(pair: WordPair, tokenizer: Tokenizer): Datum {
  const prompt = tokenizer.encode(pair.prompt);
  const tokens = [...prompt, ...tokenizer.encode(pair.completion), endOfAnswer(tokenizer)];
  return Datum.of(tokens.slice(0, -1), {
    target_tokens: { data: tokens.slice(1), dtype: "int64" },
    weights: {
      data: tokens.slice(1).map((_, place) => (place < prompt.length - 1 ? 0 : 1)),
      dtype: "float32",
    },
  });
}
