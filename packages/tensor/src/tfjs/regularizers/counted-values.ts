import type { Tensor, Tensor1D } from "@tensorflow/tfjs-core";
import type { Datum } from "@tinkex/types";
import { tf } from "../tf.js";
import { markCounted } from "./counted-mask.js";

/** Gives a datum's log-probabilities at the positions that count, without the others, in order. */
export function countedValues(datum: Datum, datumIndex: number, logprobs: Tensor): Tensor1D {
  const mask = new Uint8Array(logprobs.size);
  markCounted(mask, { datum, index: datumIndex, shape: logprobs.shape });
  const flat = tf.reshape(logprobs, [-1]) as Tensor1D;
  const pieces = runsOf(mask).map(({ begin, end }) => tf.slice1d(flat, begin, end - begin));
  return pieces.length === 0 ? tf.tensor1d([], "float32") : tf.concat1d(pieces);
}

/** Finds the runs of ones in a mask: from `begin` to `end - 1`. */
function runsOf(mask: Uint8Array): { readonly begin: number; readonly end: number }[] {
  const runs: { begin: number; end: number }[] = [];
  for (const [index, mark] of mask.entries()) {
    if (mark === 0) continue;
    const last = runs.at(-1);
    if (last?.end === index) last.end = index + 1;
    else runs.push({ begin: index, end: index + 1 });
  }
  return runs;
}
