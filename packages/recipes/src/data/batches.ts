import { ValidationError } from "@tinkex/base";
import { shuffledOrder } from "./shuffle.js";

/** Examples in batches, by step. */
export interface Batches<Example> {
  readonly stepsPerEpoch: number;
  batchAt(step: number): readonly Example[];
  epochAt(step: number): number;
  /** Number of the batch of a step within its epoch, as checkpoints of the Python cookbook count them. */
  batchInEpochAt(step: number): number;
}

/**
 * Cuts examples into batches, shuffled anew each epoch. The incomplete last batch of an epoch is dropped.
 *
 * @param place - name of the examples in messages, e.g. `sft: train`
 * @param sizeOption - name of the option that sets `batchSize`
 * @param leftOut - examples that are not among them, for the message. Default: 0
 * @param whyLeftOut - their fault in a few words, for the message
 * @throws ValidationError when there are fewer examples than a batch has
 */
export function batchesOf<Example>(
  examples: readonly Example[],
  batchSize: number,
  seed: number,
  place: string,
  sizeOption: string,
  leftOut = 0,
  whyLeftOut = "",
): Batches<Example> {
  const stepsPerEpoch = Math.floor(examples.length / batchSize);
  if (stepsPerEpoch === 0) {
    const reason = whyLeftOut === "" ? "" : ` (${whyLeftOut})`;
    const besides = leftOut === 0 ? "" : ` besides ${leftOut} left out${reason}`;
    // No size of a batch helps where there is nothing.
    const remedy = examples.length === 0 ? "give some to learn from" : `lower ${sizeOption}`;
    throw new ValidationError(
      `${place} must have at least ${batchSize}, enough for one step, got ${examples.length}${besides}; ${remedy}`,
    );
  }
  let known: { readonly epoch: number; readonly order: readonly number[] } | undefined;
  const orderOf = (epoch: number): readonly number[] => {
    if (known?.epoch !== epoch) known = { epoch, order: shuffledOrder(examples.length, seed, epoch) };
    return known.order;
  };
  const epochAt = (step: number): number => Math.floor(step / stepsPerEpoch);
  const batchInEpochAt = (step: number): number => step % stepsPerEpoch;
  return {
    stepsPerEpoch,
    epochAt,
    batchInEpochAt,
    batchAt(step) {
      const start = batchInEpochAt(step) * batchSize;
      return orderOf(epochAt(step))
        .slice(start, start + batchSize)
        .flatMap((index) => examples[index] ?? []);
    },
  };
}
