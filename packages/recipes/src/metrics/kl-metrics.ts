import { checkArray } from "@tinkex/base";
import { checkScoredDatum, type ScoredDatum } from "../advantage/reverse-kl.js";
import { mean } from "../arithmetic/sums.js";

/**
 * Distance between the sampler and the trainer over sampled tokens: `optim/kl_sample_train_v1` is the mean of sampled − trained, `_v2` half
 * the mean of its square, `optim/entropy` −mean(sampled). Before the first update the distance should be about 0.0002; above 0.01
 * something is wrong: another renderer, tokens made from text again, a stale sampler, a shift by one.
 *
 * @param data - `reference` holds the trainer's log-probabilities
 * @throws ValidationError when it is no array
 */
export function klMetrics(data: readonly ScoredDatum[]): Record<string, number> {
  const { v1, v2, sampled } = distances(data, "klMetrics");
  return {
    "optim/kl_sample_train_v1": v1,
    "optim/kl_sample_train_v2": v2,
    "optim/entropy": -mean(sampled),
  };
}

/**
 * Distance between the weights before and after a step, over sampled tokens: `kl_pre_post_v1` and `_v2`, as `klMetrics` has them.
 *
 * @param data - `logprobs` before the step, `reference` after it
 * @throws ValidationError when it is no array
 */
export function stepKlMetrics(data: readonly ScoredDatum[]): Record<string, number> {
  const { v1, v2 } = distances(data, "stepKlMetrics");
  return { kl_pre_post_v1: v1, kl_pre_post_v2: v2 };
}

function distances(data: readonly ScoredDatum[], method: string) {
  checkArray(data, `${method}: data`);
  const sampled: number[] = [];
  const differences: number[] = [];
  for (const [index, datum] of data.entries()) {
    checkScoredDatum(datum, `${method}: data[${index}]`);
    const { logprobs, reference, mask } = datum;
    for (let place = 0; place < mask.length; place += 1) {
      if (!(Number(mask[place]) > 0)) continue;
      const logprob = Number(logprobs[place]);
      sampled.push(logprob);
      differences.push(logprob - Number(reference[place]));
    }
  }
  return { sampled, v1: mean(differences), v2: 0.5 * mean(differences.map((value) => value * value)) };
}
