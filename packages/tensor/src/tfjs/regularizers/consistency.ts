import type { Datum } from "@tinkex/types/base";
import { ValidationError } from "@tinkex/types/base";
import { tf } from "../tf.js";
import { countedLength, countedValues } from "./counted-values.js";
import type { LossTerm, TermContext, TermOptions } from "./loss-term.js";

/** Indices of two datums of a batch. */
export type Pair = readonly [first: number, second: number];

/** What {@link consistency} takes. */
export interface ConsistencyOptions extends TermOptions {
  /** Which datums are two views of one thing. @defaultValue neighbours: 0 and 1, 2 and 3, … */
  readonly pairs?: ((data: readonly Datum[]) => readonly Pair[]) | undefined;
}

/**
 * `Σ (p − p′)²` over pairs of datums and the positions that count, `p` and `p′` the log-probabilities of the same answer after two
 * prompts that should not matter to it (a paraphrase, noise). Both are drawn towards each other (the Π-model of Laine and Aila,
 * 2017). The positions that count are matched in order, so the prompts may differ in length and the answers not.
 *
 * @throws ValidationError, when it runs, for pairs that are no datums, or do not match
 */
export function consistency({
  weight,
  name = "consistency",
  pairs = neighbours,
}: ConsistencyOptions): LossTerm {
  return {
    name,
    weight,
    loss: (context) => {
      const pairList = pairs(context.data);
      for (const pair of pairList) checkPair(pair, context);
      const side = (indices: readonly number[]) =>
        countedValues(
          indices.flatMap((index) => context.data[index] ?? []),
          indices.flatMap((index) => context.logprobs[index] ?? []),
        );
      const first = side(pairList.map(([index]) => index));
      const second = side(pairList.map(([, index]) => index));
      return { loss: tf.sum(tf.square(tf.sub(first, second))) };
    },
  };
}

function neighbours(data: readonly Datum[]): readonly Pair[] {
  if (data.length % 2 !== 0) {
    throw new ValidationError(
      `${data.length} datums do not make pairs of neighbours; say with \`pairs\` which belong together`,
      { path: ["pairs"] },
    );
  }
  return Array.from({ length: data.length / 2 }, (_, pair) => [2 * pair, 2 * pair + 1]);
}

function checkPair([first, second]: Pair, { data, logprobs }: TermContext): void {
  const [countOfFirst, countOfSecond] = [first, second].map((index) => {
    const tensor = logprobs[index];
    if (tensor !== undefined) return countedLength(data[index], index, tensor.size);
    throw new ValidationError(
      `the pair [${first}, ${second}] names data[${index}] of ${data.length} datums`,
      {
        path: ["pairs"],
      },
    );
  });
  if (countOfFirst === countOfSecond) return;
  throw new ValidationError(
    `data[${first}] has ${countOfFirst} positions that count and data[${second}] ${countOfSecond}: a pair needs as many`,
    { path: ["data", second] },
  );
}
