import type { Logits } from "./logprobs.js";

/** The id with the largest logit; the lowest of several. */
export function argmax(logits: Logits): number {
  let best = 0;
  let max = logits[0] ?? -Infinity;
  for (let id = 1; id < logits.length; id += 1) {
    const logit = logits[id] ?? -Infinity;
    if (logit > max) {
      max = logit;
      best = id;
    }
  }
  return best;
}

/** Up to so many ids, keeping a short sorted list costs less than sorting the vocabulary. */
const shortList = 256;

/** The `count` ids with the largest values, best first, lower ids first among equals. */
export function topIds(values: ArrayLike<number>, count: number): number[] {
  if (count > shortList) return sortBestFirst(idsOfLargest(values, count), values);
  const best: number[] = [];
  const valueAt = (rank: number) => values[best[rank] ?? -1] ?? -Infinity;
  for (let id = 0; id < values.length; id += 1) {
    const value = values[id] ?? -Infinity;
    if (best.length === count && !(value > valueAt(count - 1))) continue;
    if (best.length === count) best.pop();
    let rank = best.length;
    while (rank > 0 && value > valueAt(rank - 1)) rank -= 1;
    best.splice(rank, 0, id);
  }
  return best;
}

/**
 * The `count` ids with the largest values in order of the ids, lower ones first among equals. To sort numbers takes a fifth of the time that
 * it takes to sort ids by theirs, and of the ids only those that stay need be sorted.
 */
function idsOfLargest(values: ArrayLike<number>, count: number): number[] {
  if (count >= values.length) return Array.from({ length: values.length }, (_, id) => id);
  const rising = Float64Array.from(values).sort();
  const least = rising[rising.length - count] ?? -Infinity;
  let larger = count;
  while (larger > 0 && rising[rising.length - larger] === least) larger -= 1;
  let equals = count - larger;
  const ids: number[] = [];
  // Never more than were asked for, though some be no numbers, which are in no order.
  for (let id = 0; id < values.length && ids.length < count; id += 1) {
    const value = values[id] ?? -Infinity;
    if (value < least || (value === least && equals === 0)) continue;
    if (value === least) equals -= 1;
    ids.push(id);
  }
  return ids;
}

/** Sorts ids in place by falling value; a stable sort keeps lower ids first among equals. */
export function sortBestFirst(ids: number[], values: ArrayLike<number>): number[] {
  return ids.sort(
    (left, right) => (values[right] ?? -Infinity) - (values[left] ?? -Infinity) || left - right,
  );
}
