import type { Tensor1D } from "@tensorflow/tfjs-core";
import { describeValue, ValidationError } from "@tinkex/base";
import type { Datum } from "@tinkex/types";
import { tf } from "../tf.js";
import { countedValues } from "./counted-values.js";
import type { LossTerm, TermContext, TermOptions } from "./loss-term.js";
import { checkTermOptions, termOptionError } from "./term-options.js";

/** Indices of two datums of a batch. */
export type Pair = readonly [first: number, second: number];

/** Options of {@link consistency}. */
export interface ConsistencyOptions extends TermOptions {
  /** Picks the datums that are two views of one thing. @defaultValue neighbours: 0 and 1, 2 and 3, … */
  readonly pairs?: ((data: readonly Datum[]) => readonly Pair[]) | undefined;
}

/**
 * Adds `Σ (p − p′)²` over pairs of datums and the positions that count, `p` and `p′` the log-probabilities of the same answer
 * after two prompts that should not matter to it (a paraphrase, noise). Both are drawn towards each other (the Π-model of Laine
 * and Aila, 2017). The positions that count are matched in order, so the prompts may differ in length and the answers not.
 *
 * @throws ValidationError, when it runs, for pairs that are no datums, or do not match
 */
export function consistency(options: ConsistencyOptions): LossTerm {
  checkTermOptions(options, { weight: true, name: true, pairs: true }, "consistency");
  const { weight, name = "consistency", pairs = neighbours } = options;
  if (typeof pairs !== "function") {
    const problem = "a function of the datums, e.g. () => [[0, 1]]";
    throw termOptionError("consistency", "pairs", problem, pairs);
  }
  return {
    name,
    weight,
    loss: (context) => {
      const [first, second] = [[] as Tensor1D[], [] as Tensor1D[]];
      for (const pair of checkedPairs(pairs(context.data))) {
        const [ofFirst, ofSecond] = valuesOf(pair, context);
        // The wasm backend leaves the sum of no numbers undefined.
        if (ofFirst.size === 0) continue;
        first.push(ofFirst);
        second.push(ofSecond);
      }
      if (first.length === 0) return { loss: tf.scalar(0) };
      return { loss: tf.sum(tf.square(tf.sub(tf.concat1d(first), tf.concat1d(second)))) };
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

/** Checks the value that the function returned, which may be anything. */
function checkedPairs(pairs: readonly Pair[]): readonly Pair[] {
  if (!Array.isArray(pairs)) {
    throw new ValidationError(`pairs must return a list, got ${describeValue(pairs)}`, { path: ["pairs"] });
  }
  const bad = pairs.findIndex((pair: unknown) => !Array.isArray(pair) || pair.length !== 2);
  if (bad === -1) return pairs;
  throw new ValidationError(`pairs[${bad}] must be two indices of datums, got ${describeValue(pairs[bad])}`, {
    path: ["pairs", bad],
  });
}

/** Reads the counted values of both datums of a pair. */
function valuesOf(pair: Pair, { data, logprobs }: TermContext): readonly [Tensor1D, Tensor1D] {
  const [first, second] = pair;
  const read = (index: number): Tensor1D => {
    const datum = data[index];
    const tensor = logprobs[index];
    if (datum !== undefined && tensor !== undefined) return countedValues(datum, index, tensor);
    throw new ValidationError(
      `the pair [${first}, ${second}] names data[${index}] of ${data.length} datums`,
      { path: ["pairs"] },
    );
  };
  const values = [read(first), read(second)] as const;
  if (values[0].size === values[1].size) return values;
  throw new ValidationError(
    `data[${first}] has ${values[0].size} positions that count and data[${second}] ${values[1].size}: a pair needs as many`,
    { path: ["data", second] },
  );
}
