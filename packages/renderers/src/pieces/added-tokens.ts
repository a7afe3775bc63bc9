/** A token that a text spells out. */
export interface SpelledToken {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** Finds the spellings of tokens in texts. */
export interface AddedTokens {
  /** Tells whether the id is that of one of the tokens. */
  hasId(id: number): boolean;
  /** The tokens that a text spells out, the longest at each place, and none within another. */
  findIn(text: string): SpelledToken[];
  /** The text in pieces that spell none of the tokens: each spelling is cut behind its first character. */
  cut(text: string): string[];
}

/** @param tokens - ids by spelling */
export function createAddedTokens(tokens: ReadonlyMap<string, number>): AddedTokens {
  const ids = new Set(tokens.values());
  const lengths = new Map<string, number[]>();
  for (const token of tokens.keys()) {
    if (token !== "") lengths.set(token.charAt(0), [...(lengths.get(token.charAt(0)) ?? []), token.length]);
  }
  for (const [first, known] of lengths)
    lengths.set(
      first,
      [...new Set(known)].sort((a, b) => b - a),
    );
  const tokenAt = (text: string, start: number): SpelledToken | undefined => {
    for (const length of lengths.get(text.charAt(start)) ?? []) {
      const end = start + length;
      const id = end > text.length ? undefined : tokens.get(text.slice(start, end));
      if (id !== undefined) return { id, start, end };
    }
    return undefined;
  };
  return {
    hasId: (id) => ids.has(id),
    findIn(text) {
      const found: SpelledToken[] = [];
      for (let place = 0; place < text.length; ) {
        const token = tokenAt(text, place);
        if (token !== undefined) found.push(token);
        place = token?.end ?? place + 1;
      }
      return found;
    },
    cut(text) {
      const pieces: string[] = [];
      let start = 0;
      for (let place = 0; place < text.length; place += 1) {
        if (tokenAt(text, place) === undefined) continue;
        const behindFirst = place + String.fromCodePoint(text.codePointAt(place) ?? 0).length;
        pieces.push(text.slice(start, behindFirst));
        start = behindFirst;
      }
      pieces.push(text.slice(start));
      return pieces;
    },
  };
}
