// Conversion of lists of numbers into typed arrays, for packages that have many to convert. Eight elements at a time: that makes a third
// fewer comparisons an element than a loop over one, which looks at what is left.

/**
 * Rounds `count` elements of a list, from `start` on, to float32, and puts them at the beginning of `target`.
 *
 * @returns how many were put: fewer than `count` where the next is no number, or is not finite once it is rounded
 */
export function roundListInto(
  target: Float32Array,
  list: readonly unknown[],
  start: number,
  count: number,
): number {
  let index = 0;
  // Sums of float32 values cannot leave the range of a double, so they are finite where every element is. One look at them in the end
  // takes a fifth less time than a look at every few elements; four of them, so that an addition need not wait for the one before.
  let firstSum = 0;
  let secondSum = 0;
  let thirdSum = 0;
  let fourthSum = 0;
  for (; index + 7 < count; index += 8) {
    const at = start + index;
    const a = list[at];
    const b = list[at + 1];
    const c = list[at + 2];
    const d = list[at + 3];
    const e = list[at + 4];
    const f = list[at + 5];
    const g = list[at + 6];
    const h = list[at + 7];
    if (typeof a !== "number" || typeof b !== "number" || typeof c !== "number") break;
    if (typeof d !== "number" || typeof e !== "number" || typeof f !== "number") break;
    if (typeof g !== "number" || typeof h !== "number") break;
    target[index] = a;
    target[index + 1] = b;
    target[index + 2] = c;
    target[index + 3] = d;
    target[index + 4] = e;
    target[index + 5] = f;
    target[index + 6] = g;
    target[index + 7] = h;
    firstSum += Math.fround(a) + Math.fround(e);
    secondSum += Math.fround(b) + Math.fround(f);
    thirdSum += Math.fround(c) + Math.fround(g);
    fourthSum += Math.fround(d) + Math.fround(h);
  }
  // The loop below finds the place.
  if (!Number.isFinite(firstSum + secondSum + thirdSum + fourthSum)) index = 0;
  for (; index < count; index += 1) {
    const value = list[start + index];
    if (typeof value !== "number" || !Number.isFinite(Math.fround(value))) break;
    target[index] = value;
  }
  return index;
}

/**
 * Puts `count` elements of a list, from `start` on, at the beginning of `target`.
 *
 * @returns how many were put: fewer than `count` where the next is no integer of 32 bits
 */
export function narrowListInto(
  target: Int32Array,
  list: readonly unknown[],
  start: number,
  count: number,
): number {
  let index = 0;
  for (; index + 7 < count; index += 8) {
    const at = start + index;
    const a = list[at];
    const b = list[at + 1];
    const c = list[at + 2];
    const d = list[at + 3];
    const e = list[at + 4];
    const f = list[at + 5];
    const g = list[at + 6];
    const h = list[at + 7];
    if (typeof a !== "number" || typeof b !== "number" || typeof c !== "number") break;
    if (typeof d !== "number" || typeof e !== "number" || typeof f !== "number") break;
    if (typeof g !== "number" || typeof h !== "number") break;
    if ((a | 0) !== a || (b | 0) !== b || (c | 0) !== c || (d | 0) !== d) break;
    if ((e | 0) !== e || (f | 0) !== f || (g | 0) !== g || (h | 0) !== h) break;
    target[index] = a;
    target[index + 1] = b;
    target[index + 2] = c;
    target[index + 3] = d;
    target[index + 4] = e;
    target[index + 5] = f;
    target[index + 6] = g;
    target[index + 7] = h;
  }
  for (; index < count; index += 1) {
    const value = list[start + index];
    if (typeof value !== "number" || (value | 0) !== value) break;
    target[index] = value;
  }
  return index;
}
