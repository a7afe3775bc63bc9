import type { CustomLossValue, Datum } from "@tinkex/types";

/** Makes a datum as a custom loss sees it: `targets` says how many log-probabilities it has, and in which shape. */
export function lossDatum(
  shape: readonly number[],
  inputs: Readonly<Record<string, Float32Array>> = {},
): Datum {
  const length = shape.reduce((count, size) => count * size, 1);
  const tensors = Object.entries(inputs).map(([key, data]) => [
    key,
    { data, dtype: "float32", shape } as const,
  ]);
  return {
    model_input: { chunks: [] },
    loss_fn_inputs: {
      target_tokens: { data: new Int32Array(length), dtype: "int64", shape },
      ...Object.fromEntries(tensors),
    },
  };
}

/** Computes central differences of a function of flat lists, in double precision: a gradient that owes nothing to tfjs. */
export function finiteDifferences(
  evaluate: (logprobs: readonly number[][]) => number,
  logprobs: readonly Float32Array[],
): number[][] {
  const step = 1e-5;
  const lists = logprobs.map((values) => Array.from(values));
  return lists.map((values) =>
    values.map((value, index) => {
      values[index] = value + step;
      const above = evaluate(lists);
      values[index] = value - step;
      const below = evaluate(lists);
      values[index] = value;
      return (above - below) / (2 * step);
    }),
  );
}

/** Finds the largest difference between two gradients, relative to the larger of 1 and the element. */
export function largestGap(gradients: CustomLossValue["gradients"], expected: readonly number[][]): number {
  const gaps = expected.flatMap((row, datum) =>
    row.map(
      (value, index) => Math.abs(Number(gradients[datum]?.[index]) - value) / Math.max(1, Math.abs(value)),
    ),
  );
  return Math.max(...gaps);
}
