import { endOfRun } from "../text/strip-text.js";

/** Reads a text from its start to its end and never goes back, so that the time it takes grows as the text does. */
export interface TextReader {
  /** Tells whether nothing is left. */
  isAtEnd(): boolean;
  /** Goes behind the whitespace that stands here. */
  skipSpace(): void;
  /** Goes behind `expected` if it stands here, and says whether it did. */
  take(expected: string): boolean;
  /**
   * Goes behind the next place that `end` matches, and gives the text in front of it; undefined where there is none.
   * @param end - a string, or a global pattern
   */
  takeUntil(end: string | RegExp): string | undefined;
  /** The text from an earlier `position`, `start`, to where the reader stands. */
  since(start: number): string;
  /** The text that is left. */
  rest(): string;
  readonly position: number;
}

export function createTextReader(text: string): TextReader {
  let position = 0;
  return {
    isAtEnd: () => position === text.length,
    skipSpace() {
      position = endOfRun(text, position);
    },
    take(expected) {
      const stands = text.startsWith(expected, position);
      if (stands) position += expected.length;
      return stands;
    },
    takeUntil(end) {
      const found = find(text, end, position);
      if (found === undefined) return undefined;
      const before = text.slice(position, found.start);
      position = found.end;
      return before;
    },
    since: (start) => text.slice(start, position),
    rest: () => text.slice(position),
    get position() {
      return position;
    },
  };
}

function find(
  text: string,
  sought: string | RegExp,
  from: number,
): { readonly start: number; readonly end: number } | undefined {
  if (typeof sought === "string") {
    const start = text.indexOf(sought, from);
    return start === -1 ? undefined : { start, end: start + sought.length };
  }
  sought.lastIndex = from;
  const match = sought.exec(text);
  return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
}
