/** The known names most like `name`, best first, by the share of letter pairs they have in common. */
export function nearestNames(name: string, known: readonly string[], count = 3): string[] {
  const wanted = letterPairs(name);
  return known
    .map((candidate) => ({ candidate, likeness: likeness(wanted, letterPairs(candidate)) }))
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** Dice's coefficient: 1 for the same pairs, 0 for none in common. */
function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const common = [...left].filter((pair) => right.has(pair)).length;
  return (2 * common) / (left.size + right.size || 1);
}

function letterPairs(text: string): ReadonlySet<string> {
  const letters = ` ${text.toLowerCase()} `;
  return new Set(Array.from({ length: letters.length - 1 }, (_, index) => letters.slice(index, index + 2)));
}
