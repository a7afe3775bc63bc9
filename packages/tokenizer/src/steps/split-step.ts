import { ValidationError } from "@tinkex/base";
import { patternFinder } from "../patterns/pattern-finder.js";
import type { TextRange } from "../text/text-range.js";
import type { PartConfig } from "./leaf-parts.js";

/** A stretch of a text, and whether it is one that was looked for. */
interface Piece extends TextRange {
  readonly isMatch: boolean;
}

/** Goes on with the pieces in order, or with those that are kept. */
type Behavior = (pieces: readonly Piece[]) => readonly TextRange[];

/** Says what becomes of matches, as `SplitDelimiterBehavior` of Rust's `tokenizers` does. */
const BEHAVIORS: Readonly<Record<string, Behavior>> = {
  isolated: (pieces) => pieces,
  removed: (pieces) => pieces.filter(({ isMatch }) => !isMatch),
  contiguous: (pieces) => merge(pieces, (before, piece) => before.isMatch === piece.isMatch),
  mergedwithprevious: (pieces) => merge(pieces, (before, piece) => piece.isMatch && !before.isMatch),
  mergedwithnext: (pieces) => merge(pieces, (before, piece) => before.isMatch && !piece.isMatch),
};

/** Splits texts at the matches of a part's `pattern`, or with `invert` at what lies between them. */
export function splitStep(part: PartConfig): (texts: readonly string[]) => string[] {
  const { behavior = "Isolated", invert = false } = part;
  const place = BEHAVIORS[String(behavior).toLowerCase()];
  if (place === undefined) {
    throw new ValidationError(
      `behavior of a Split of this tokenizer.json must be one of Isolated, Removed, Contiguous, MergedWithPrevious and MergedWithNext, got ${JSON.stringify(behavior)}`,
    );
  }
  const find = patternFinder(part.pattern);
  return (texts) => {
    const words: string[] = [];
    for (const text of texts) {
      for (const { start, end } of place(piecesOf(text, find(text), invert === true))) {
        if (end > start) words.push(text.slice(start, end));
      }
    }
    return words;
  };
}

function piecesOf(text: string, matches: Iterable<TextRange>, isInverted: boolean): Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  for (const { start, end } of matches) {
    if (start > done) pieces.push({ start: done, end: start, isMatch: isInverted });
    if (end > start) pieces.push({ start, end, isMatch: !isInverted });
    done = end;
  }
  if (done < text.length) pieces.push({ start: done, end: text.length, isMatch: isInverted });
  return pieces;
}

/** Joins each piece to the one before where they belong together; a joined piece counts as its last one. */
function merge(pieces: readonly Piece[], belongs: (before: Piece, piece: Piece) => boolean): Piece[] {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const before = merged.at(-1);
    if (before !== undefined && belongs(before, piece))
      merged[merged.length - 1] = { ...piece, start: before.start };
    else merged.push(piece);
  }
  return merged;
}
