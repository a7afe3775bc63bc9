import type { Tensor, Tensor1D } from "@tensorflow/tfjs-core";
import { elementCount, isTfTensorLike, ValidationError } from "@tinkex/base";
import type { Datum } from "@tinkex/types";
import { TensorData } from "../../tensor-data.js";
import type { TensorLike } from "../../tensor-like.js";
import type { TensorPlace } from "../../tensor-place.js";
import { toDense } from "../../to-dense.js";
import { toTypedArray } from "../../to-typed-array.js";
import { joinRows } from "../custom-loss-inputs.js";
import { tf } from "../tf.js";
import { checkLayout } from "./check-layout.js";
import type { TermContext } from "./loss-term.js";
import { termOptionError } from "./term-options.js";

/**
 * Source of log-probabilities to compare with: a key of `loss_fn_inputs` (custom losses see every input, the service
 * only targets and weights), or a function of the datum.
 */
export type Reference = string | ((datum: Datum, datumIndex: number) => TensorLike);

/** @throws ValidationError for what is none; `what` is the function that takes it */
export function checkReference(reference: unknown, what: string): void {
  if (typeof reference === "string" || typeof reference === "function") return;
  const problem = "a key of loss_fn_inputs or a function of the datum";
  throw termOptionError(what, "reference", problem, reference);
}

/**
 * Reads the references of a batch in one row, constant.
 *
 * @throws ValidationError naming the datum whose reference is missing, of another length or laid out otherwise
 */
export function referenceRow(reference: Reference, { data, shapes }: TermContext): Tensor1D {
  const rows = data.map((datum, datumIndex) => {
    return rowOf(reference, datum, datumIndex, shapes[datumIndex] ?? []);
  });
  const arrays = rows.filter((row) => row instanceof Float32Array);
  if (arrays.length === rows.length) return tf.tensor1d(joinRows(arrays), "float32");
  return tf.concat1d(rows.map((row) => (row instanceof Float32Array ? tf.tensor1d(row) : row)));
}

function rowOf(
  reference: Reference,
  datum: Datum,
  datumIndex: number,
  wanted: readonly number[],
): Float32Array | Tensor1D {
  const place =
    typeof reference === "string"
      ? `data[${datumIndex}].loss_fn_inputs.${reference}`
      : `the reference of data[${datumIndex}]`;
  const given: TensorLike | undefined =
    typeof reference === "string" ? datum.loss_fn_inputs[reference] : reference(datum, datumIndex);
  if (given === undefined) {
    throw new ValidationError(
      `${place} is missing: give each datum its reference logprobs, e.g. those of a \`forward\` before training`,
      { path: ["data", datumIndex] },
    );
  }
  // A tensor stays on its backend, which may not be able to read it at once. Rows of several dtypes do not join.
  const { row, shape } = isTfTensorLike(given)
    ? { row: tf.reshape(tf.cast(given as Tensor, "float32"), [-1]) as Tensor1D, shape: given.shape }
    : numbersOf(given, { datumIndex, key: typeof reference === "string" ? reference : undefined });
  checkLayout(shape, wanted, { place, path: ["data", datumIndex] });
  const length = row instanceof Float32Array ? row.length : row.size;
  const size = elementCount(wanted);
  if (length !== size) {
    throw new ValidationError(`${place} has ${length} elements, the datum ${size} logprobs`, {
      path: ["data", datumIndex],
    });
  }
  return row;
}

/** Reads all elements of a reference that is no tensor of tfjs. */
function numbersOf(given: TensorLike, place: TensorPlace): Pick<TensorData, "shape"> & { row: Float32Array } {
  try {
    const dense = toDense(TensorData.from(given, { ...place, dtype: "float32" }), place);
    return { row: toTypedArray(dense) as Float32Array, shape: dense.shape };
  } catch (error) {
    if (place.key !== undefined || !(error instanceof ValidationError)) throw error;
    throw new ValidationError(`the reference of ${error.message}`, { path: error.path });
  }
}
