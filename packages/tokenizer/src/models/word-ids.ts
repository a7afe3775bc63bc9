/** Words that are remembered: longer ones do not come again, and more of them would fill the memory. */
const MAX_WORD_LENGTH = 64;
const MAX_WORDS = 50_000;

/** Gives the ids of a word, if it has ids, remembering those of short words: a text is made of few different ones. */
export function rememberWordIds<Ids extends readonly number[] | undefined>(
  encode: (word: string) => Ids,
): (word: string) => Ids {
  const known = new Map<string, Ids>();
  return (word) => {
    const remembered = known.get(word);
    if (remembered !== undefined) return remembered;
    const ids = encode(word);
    if (word.length <= MAX_WORD_LENGTH) {
      // Emptied rather than pruned: the words of a text are back at once, and most look-ups stay a single one.
      if (known.size >= MAX_WORDS) known.clear();
      known.set(word, ids);
    }
    return ids;
  };
}
