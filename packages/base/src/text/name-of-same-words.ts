/**
 * The one candidate with all words of `name`, or with no others than `name` has: `ttl` means `ttl_seconds`, `base_model` means `model`,
 * `dataDir` means `dataDirectory`. None where several candidates do, as no one of them is likelier.
 */
export function nameOfSameWords(name: string, candidates: readonly string[]): string | undefined {
  const given = wordsOf(name);
  const alike = candidates.filter((candidate) => {
    const words = wordsOf(candidate);
    return holds(words, given) || holds(given, words);
  });
  return alike.length === 1 ? alike[0] : undefined;
}

/** Words of snake_case and camelCase. Those of one or two letters say too little: `top_k` is `top`. */
function wordsOf(name: string): readonly string[] {
  const separated = name.replace(/[A-Z]/g, (letter) => `_${letter}`);
  return separated
    .toLowerCase()
    .split("_")
    .filter(({ length }) => length > 2);
}

/** Tells whether each part begins one of the words. */
function holds(words: readonly string[], parts: readonly string[]): boolean {
  return parts.length > 0 && parts.every((part) => words.some((word) => word.startsWith(part)));
}
