import type { Datum } from "../data/datum.js";

/** Values that a custom loss gives for one batch. */
export interface CustomLossValue {
  /** The value that is minimised. */
  readonly loss: number;
  /** For each datum dLoss/dlogprob, in the shape of its log-probabilities, row-major. */
  readonly gradients: readonly ArrayLike<number>[];
  /** Added to the metrics of the pass; they win over the server's. */
  readonly metrics?: Readonly<Record<string, number>> | undefined;
}

/**
 * A loss of the caller's over the log-probabilities of each datum's `target_tokens` (row-major, `[N]` or `[N, K]`). `data` are
 * the datums as they were given, with all their inputs. `@tinkex/tensor/tfjs` makes one of a function of tensors.
 */
export type CustomLoss = (
  data: readonly Datum[],
  logprobs: readonly Float32Array[],
) => CustomLossValue | Promise<CustomLossValue>;
