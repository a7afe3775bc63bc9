import type { Datum } from "@tinkex/types";
import { expect } from "vitest";
import { composeLoss } from "../regularizers/compose-loss.js";
import type { LossTerm } from "../regularizers/loss-term.js";
import { tf } from "../tf.js";
import { finiteDifferences, largestGap } from "./loss-data.js";

/** Rounding of float32 in sums of some ten numbers near 1. */
const TOLERANCE = 2e-5;

/** Expects a term's value and gradient to be those of `formula`, which is written in plain numbers and differentiated by differences. */
export async function expectTerm(
  term: LossTerm,
  batch: { readonly data: readonly Datum[]; readonly logprobs: readonly Float32Array[] },
  formula: (logprobs: readonly number[][]) => number,
): Promise<Readonly<Record<string, number>>> {
  const { data, logprobs } = batch;
  const nothing = () => ({ loss: tf.scalar(0) });
  const result = await composeLoss(nothing, [term], { unusedGradients: "zero" })(data, logprobs);
  const expected = formula(logprobs.map((values) => Array.from(values)));
  const gradient = finiteDifferences(formula, logprobs);
  expect(Math.abs(result.loss / term.weight - expected)).toBeLessThan(
    TOLERANCE * Math.max(1, Math.abs(expected)),
  );
  const weighted = gradient.map((row) => row.map((value) => term.weight * value));
  expect(largestGap(result.gradients, weighted)).toBeLessThan(TOLERANCE);
  const norm = Math.hypot(...weighted.flat());
  expect(result.metrics?.[`${term.name}_grad_norm:mean`]).toBeCloseTo(norm, 4);
  expect(result.metrics?.["total_grad_norm:mean"]).toBeCloseTo(norm, 4);
  expect(result.metrics?.[`${term.name}_loss:sum`]).toBeCloseTo(expected, 4);
  return result.metrics ?? {};
}
