import type { Tensor, Tensor1D } from "@tensorflow/tfjs-core";
import type { Datum } from "@tinkex/types/base";
import { tf } from "../tf.js";
import { countedValues } from "./counted-values.js";
import { type Reference, referenceLogprobs } from "./reference-logprobs.js";

/** `p − r` at the positions that count, `p` the log-probability and `r` the reference; `p` itself without one. */
export function distance(
  data: readonly Datum[],
  logprobs: readonly Tensor[],
  reference: Reference | undefined,
): Tensor1D {
  const values = countedValues(data, logprobs);
  if (reference === undefined) return values;
  return tf.sub(values, countedValues(data, referenceLogprobs(reference, data, logprobs)));
}
