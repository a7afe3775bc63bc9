/** Unnormalised log-probabilities of every token of the vocabulary. */
export type Logits = Float32Array | Float64Array;

/** Natural logarithm of Σ exp(logits), with the maximum taken out first. */
export function logSumExp(logits: Logits): number {
  let max = -Infinity;
  for (const logit of logits) if (logit > max) max = logit;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - max);
  return max + Math.log(sum);
}
