/** The candidate closest to `name` by edit distance, if one is close enough to be what was meant. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  // A third of the letters may differ: "temprature" is a slip, "beams" is another word.
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein distance in which two neighbours that changed places are one edit; gives `limit` as soon as it cannot be less. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let beforePrevious: readonly number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swap = isSwap && row > 1 && column > 1 ? (beforePrevious[column - 2] ?? 0) + 1 : substitution;
      current.push(Math.min(substitution, swap, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] ?? limit;
}
