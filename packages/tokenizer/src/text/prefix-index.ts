import { ValidationError } from "@tinkex/base";

/** Bounds what is looked at from each place of a text; the longest tokens known have some hundred characters. */
const MAX_WORD_LENGTH = 1_000;

/**
 * Finds which of many words begin at a place of a text. The words are a sorted list that is narrowed down character by
 * character, so that it takes no memory beyond the list, and as long to make as sorting takes.
 */
export class PrefixIndex {
  readonly #words: readonly string[];
  /** Marks where the words of each first UTF-16 unit begin and end in the list. */
  readonly #byFirstUnit = new Map<number, { readonly low: number; readonly high: number }>();

  /**
   * @param words - each once, and none of them empty
   * @throws ValidationError when one is longer than any token is.
   */
  constructor(words: Iterable<string>) {
    this.#words = [...words].sort();
    const long = this.#words.find((word) => word.length > MAX_WORD_LENGTH);
    if (long !== undefined) {
      throw new ValidationError(
        `a token of this tokenizer.json must be at most ${MAX_WORD_LENGTH} characters long, got ${long.length} (${JSON.stringify(long.slice(0, 40))}…)`,
      );
    }
    for (let low = 0; low < this.#words.length; ) {
      const unit = this.#unit(low, 0);
      const high = this.#firstAbove(unit, 0, low, this.#words.length);
      this.#byFirstUnit.set(unit, { low, high });
      low = high;
    }
  }

  /** The units with which a word may begin. */
  get firstUnits(): Iterable<number> {
    return this.#byFirstUnit.keys();
  }

  /** The words in the order in which {@link visit} counts them. */
  get words(): readonly string[] {
    return this.#words;
  }

  /** Calls `visit` with each word that begins at `start` and its place among {@link words}, the shortest first. */
  visit(text: string, start: number, visit: (word: string, place: number) => void): void {
    const found = this.#byFirstUnit.get(text.charCodeAt(start));
    if (found === undefined) return;
    let { low, high } = found;
    for (let depth = 1; ; depth += 1) {
      const shortest = this.#words[low];
      if (shortest === undefined) return;
      if (high - low === 1) {
        if (text.startsWith(shortest, start)) visit(shortest, low);
        return;
      }
      // Those left share `depth` units, and one that has no more comes first.
      if (shortest.length === depth) {
        visit(shortest, low);
        low += 1;
      }
      const unit = text.charCodeAt(start + depth);
      // All between the first and the last go on alike where these two do.
      if (unit === this.#unit(low, depth) && unit === this.#unit(high - 1, depth)) continue;
      if (Number.isNaN(unit)) return;
      low = this.#firstAbove(unit - 1, depth, low, high);
      high = this.#firstAbove(unit, depth, low, high);
      if (low === high) return;
    }
  }

  /** The longest word that begins at `start`. */
  longest(text: string, start: number): string | undefined {
    let longest: string | undefined;
    this.visit(text, start, (word) => {
      longest = word;
    });
    return longest;
  }

  #unit(word: number, depth: number): number {
    return this.#words[word]?.charCodeAt(depth) ?? Number.NaN;
  }

  /** The first word from `low` on whose unit at `depth` is above `unit`. */
  #firstAbove(unit: number, depth: number, low: number, high: number): number {
    let [from, to] = [low, high];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#unit(middle, depth) > unit) to = middle;
      else from = middle + 1;
    }
    return from;
  }
}
