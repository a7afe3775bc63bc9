import type { TextRange } from "../text/text-range.js";

/**
 * The stretch of `text` that became `normalized.slice(start, end)`. Normalisers give no offsets, so they are found by
 * bisection: what a beginning of the text normalises to only grows with it.
 */
export function sourceRange(
  text: string,
  normalized: string,
  start: number,
  end: number,
  normalize: (text: string) => string,
): TextRange {
  if (text === normalized) return { start, end };
  /** The fewest units of the text that give at least `length` normalised ones. */
  const unitsFor = (length: number) => {
    let low = 0;
    let high = text.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (normalize(text.slice(0, middle)).length >= length) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return { start: Math.max(0, unitsFor(start + 1) - 1), end: unitsFor(end) };
}
