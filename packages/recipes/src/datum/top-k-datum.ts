import { checkArray, ValidationError } from "@tinkex/base";
import type { Datum, ModelInput, TokenIds } from "@tinkex/types";
import { checkNumbers } from "../arguments/check-numbers.js";
import { promptUnits, unitsLength } from "./prompt-units.js";

/** The K likeliest tokens at one position, with their log-probabilities. */
export type TopKTokens = readonly (readonly [token: number, logprob: number])[];

/**
 * A training example for the loss `cross_entropy` in which each position has K targets, weighed by a teacher's probabilities: off-policy
 * distillation. The probabilities are normed over the K tokens and multiplied with the weight of the position.
 *
 * @param input - token ids, or a whole input, `[N]`
 * @param topK - of each position the teacher's K likeliest next tokens, `[N]`
 * @param weights - of each position, `[N]`
 * @throws ValidationError when the three differ in length, or positions differ in K
 */
export function topKDatum(
  input: ModelInput | TokenIds,
  topK: readonly TopKTokens[],
  weights: ArrayLike<number>,
): Datum {
  const count = unitsLength(promptUnits(input, "topKDatum: input"));
  checkArray(topK, "topKDatum: topK");
  checkNumbers(weights, "topKDatum: weights");
  const first: unknown = topK[0];
  const width = Array.isArray(first) ? first.length : 0;
  if (topK.length !== count || weights.length !== count || width === 0) {
    throw new ValidationError(
      `topKDatum: topK and weights must have one entry for each of the ${count} positions, got ${topK.length} and ${weights.length}`,
    );
  }
  const targets = new Int32Array(count * width);
  const shares = new Float32Array(count * width);
  for (const [place, tokens] of topK.entries()) {
    checkArray(tokens, `topKDatum: topK[${place}]`);
    if (tokens.length !== width) {
      throw new ValidationError(
        `topKDatum: topK[${place}] must have ${width} tokens as the first, got ${tokens.length}`,
      );
    }
    for (const [column, pair] of tokens.entries()) checkNumbers(pair, `topKDatum: topK[${place}][${column}]`);
    // Measured from the largest: those of unlikely tokens are too small to be told from 0.
    const largest = Math.max(...tokens.map(([, logprob]) => logprob));
    const total = tokens.reduce((sum, [, logprob]) => sum + Math.exp(logprob - largest), 0);
    if (!(total > 0)) {
      throw new ValidationError(
        `topKDatum: topK[${place}] must have a token of a probability above 0, got none`,
      );
    }
    for (const [column, [token, logprob]] of tokens.entries()) {
      targets[place * width + column] = token;
      shares[place * width + column] = (Number(weights[place]) * Math.exp(logprob - largest)) / total;
    }
  }
  const shape = [count, width];
  return {
    model_input: "chunks" in input ? input : { chunks: [{ type: "encoded_text", tokens: input }] },
    loss_fn_inputs: {
      target_tokens: { data: targets, dtype: "int64", shape },
      weights: { data: shares, dtype: "float32", shape },
    },
  };
}
