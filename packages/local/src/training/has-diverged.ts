import { type AdapterParameters, loraAlpha } from "../adapter/adapter-parameters.js";

/** Largest change of a layer that can be computed with: norms square it, and the numbers of float32 end at 3.4e38. */
const MAX_CHANGE = 1e18;

/**
 * Tells whether an adapter's weights are no numbers any more, or so large that the model's outputs are none: an element of
 * `(α / rank) · B A` is at most α times the largest elements of both.
 */
export function hasDiverged({ pairs }: AdapterParameters): boolean {
  return pairs.some(({ a, b }) => {
    const change = loraAlpha * largest(a) * largest(b);
    return Number.isNaN(change) || change > MAX_CHANGE;
  });
}

/** Gives the largest absolute value, NaN where an element is none. */
function largest(values: Float32Array): number {
  let found = 0;
  for (let place = 0; place < values.length; place += 1) {
    const size = Math.abs(values[place] ?? 0);
    // True of NaN as well, which `size > found` is not.
    if (!(size <= found)) found = size;
    if (Number.isNaN(found)) return found;
  }
  return found;
}
