import type { Tensor, Tensor1D } from "@tensorflow/tfjs-core";
import { type Datum, ValidationError } from "@tinkex/types/base";
import { toDense } from "../../to-dense.js";
import { tf } from "../tf.js";

/** Positions `begin` to `end - 1` of a datum's flat log-probabilities. */
interface Run {
  readonly begin: number;
  readonly end: number;
}

/**
 * One list of what the tensors hold at positions that count: those whose `weights` are not 0, all where a datum has no weights.
 * Other positions are left out rather than multiplied by 0, so that whatever stands there cannot make the gradient NaN.
 *
 * @param tensors - one per datum, with an element for each log-probability
 */
export function countedValues(data: readonly Datum[], tensors: readonly Tensor[]): Tensor1D {
  const pieces = tensors.flatMap((tensor, index) => {
    const flat = tf.reshape(tensor, [-1]) as Tensor1D;
    const length = tensor.size;
    return countedRuns(data[index], index, length).map(({ begin, end }) =>
      end - begin === length ? flat : tf.slice(flat, begin, end - begin),
    );
  });
  return pieces.length === 0 ? tf.tensor1d([], "float32") : tf.concat1d(pieces);
}

/** How many log-probabilities of a datum count. */
export function countedLength(datum: Datum | undefined, datumIndex: number, length: number): number {
  return countedRuns(datum, datumIndex, length).reduce((sum, { begin, end }) => sum + end - begin, 0);
}

function countedRuns(datum: Datum | undefined, datumIndex: number, length: number): Run[] {
  const given = datum?.loss_fn_inputs.weights;
  if (given === undefined) return length === 0 ? [] : [{ begin: 0, end: length }];
  const weights = given.data.length === length ? given.data : toDense(given).data;
  if (weights.length !== length) {
    throw new ValidationError(
      `data[${datumIndex}].loss_fn_inputs.weights has ${weights.length} elements, its logprobs ${length}`,
      { path: ["data", datumIndex, "loss_fn_inputs", "weights"] },
    );
  }
  const runs: Run[] = [];
  for (let index = 0; index < length; index += 1) {
    if (Number(weights[index]) === 0) continue;
    const last = runs.at(-1);
    if (last?.end === index) runs[runs.length - 1] = { begin: last.begin, end: index + 1 };
    else runs.push({ begin: index, end: index + 1 });
  }
  return runs;
}
