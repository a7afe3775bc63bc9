import type { AdapterTensors } from "../../adapter/adapter-tensors.js";

/** Largest absolute difference; NaN where the lengths differ or any number is NaN, so that no bound accepts it. */
export function largestDifference(got: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (got.length !== expected.length) return Number.NaN;
  let largest = 0;
  for (let index = 0; index < got.length; index += 1) {
    // Of a number and NaN, `Math.max` gives NaN.
    largest = Math.max(largest, Math.abs(Number(got[index]) - Number(expected[index])));
  }
  return largest;
}

/** Largest difference of each array in units of its largest expected entry; the worst of all arrays. */
export function worstRelativeDifference(got: AdapterTensors, expected: AdapterTensors): number {
  if (got.length !== expected.length) return Number.NaN;
  const pairs = got.flatMap(({ a, b }, index) => [
    [a, expected[index]?.a ?? new Float32Array(0)] as const,
    [b, expected[index]?.b ?? new Float32Array(0)] as const,
  ]);
  const differences = pairs.map(([left, right]) => {
    const scale = right.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    const difference = largestDifference(left, right);
    return scale === 0 ? difference : difference / scale;
  });
  return differences.some(Number.isNaN) ? Number.NaN : Math.max(...differences);
}
