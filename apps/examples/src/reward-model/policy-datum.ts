import * as tf from "@tensorflow/tfjs";
import type { DatumLike, SampledSequence } from "@tinkex/client";

/** A training example whose advantages are a tensor, which is the caller's to dispose of. */
export interface PolicyDatum extends DatumLike {
  readonly loss_fn_inputs: DatumLike["loss_fn_inputs"] & { readonly advantages: tf.Tensor };
}

/**
 * An answer as a training example: each of its tokens is a target, with the log-probability it was drawn with and the answer's
 * advantage. The prompt's own tokens have neither.
 *
 * @param advantages - `[prompts, samples]`, of which `place` is the answer's
 */
export function policyDatum(
  prompt: readonly number[],
  { tokens, logprobs = [] }: SampledSequence,
  advantages: tf.Tensor,
  place: readonly [prompt: number, sample: number],
): PolicyDatum {
  const all = [...prompt, ...tokens];
  const unscored = prompt.length - 1;
  return {
    model_input: all.slice(0, -1),
    loss_fn_inputs: {
      target_tokens: all.slice(1),
      logprobs: [...new Array<number>(unscored).fill(0), ...logprobs],
      advantages: tf.tidy(() => {
        const advantage = advantages.slice([...place], [1, 1]).reshape([1]);
        return tf.concat([tf.zeros([unscored]), advantage.tile([tokens.length])]);
      }),
    },
  };
}
