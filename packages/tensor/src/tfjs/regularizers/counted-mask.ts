import type { Tensor1D } from "@tensorflow/tfjs-core";
import { elementCount, ValidationError } from "@tinkex/base";
import type { Datum } from "@tinkex/types";
import { toDense } from "../../to-dense.js";
import { tf } from "../tf.js";
import { checkLayout } from "./check-layout.js";
import type { TermContext } from "./loss-term.js";

/** 1 for each log-probability of a batch that counts, in one row, and 0 for the others. */
export type CountedMask = Uint8Array;

/**
 * Marks the log-probabilities that count for a term: those whose `weights` are not 0, all where a datum has no weights.
 *
 * @param isIncluded - by the shape of a datum's log-probabilities; others do not count. @defaultValue all
 * @throws ValidationError for weights of another length or layout
 */
export function countedMask(
  { data, shapes }: Pick<TermContext, "data" | "shapes">,
  isIncluded: (shape: readonly number[]) => boolean = () => true,
): CountedMask {
  const sizes = shapes.map(elementCount);
  const mask = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  let offset = 0;
  for (const [index, datum] of data.entries()) {
    const size = sizes[index] ?? 0;
    const shape = shapes[index] ?? [];
    if (isIncluded(shape)) markCounted(mask.subarray(offset, offset + size), { datum, index, shape });
    offset += size;
  }
  return mask;
}

/** A datum of a batch, and the shape of its log-probabilities. */
interface PlacedDatum {
  readonly datum: Datum;
  readonly index: number;
  readonly shape: readonly number[];
}

/** Writes 1 for each position of a datum that counts. */
export function markCounted(mask: CountedMask, { datum, index: datumIndex, shape }: PlacedDatum): void {
  const given = datum.loss_fn_inputs.weights;
  if (given === undefined) {
    mask.fill(1);
    return;
  }
  const place = `data[${datumIndex}].loss_fn_inputs.weights`;
  const path = ["data", datumIndex, "loss_fn_inputs", "weights"];
  const { data: weights, shape: layout } = toDense(given, { datumIndex, key: "weights" });
  checkLayout(layout, shape, { place, path });
  if (weights.length !== mask.length) {
    const problem = `${place} has ${weights.length} elements, its logprobs ${mask.length}`;
    throw new ValidationError(problem, { path });
  }
  for (let index = 0; index < mask.length; index += 1) mask[index] = Number(weights[index]) === 0 ? 0 : 1;
}

/**
 * Puts zeros into a row where it does not count. They are put in its place, not multiplied in, so that whatever stands there cannot
 * make a value or gradient NaN; a term must be 0 for them.
 */
export function keepCounted(row: Tensor1D, mask: CountedMask): Tensor1D {
  if (!mask.includes(0)) return row;
  return tf.where<Tensor1D>(tf.tensor1d(mask, "bool"), row, tf.zeros([mask.length]));
}
