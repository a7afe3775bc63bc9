import { ValidationError } from "@tinkex/base";
import { type CharacterTest, characterTest } from "../patterns/character-test.js";
import type { TextRange } from "../text/text-range.js";

/** A stretch of a text, and whether it is one that was looked for. */
interface Piece extends TextRange {
  readonly isMatch: boolean;
}

/** Goes on with the pieces in order, or with those that are kept. */
type Place = (pieces: readonly Piece[]) => readonly TextRange[];

/** Says what becomes of matches, as `SplitDelimiterBehavior` of Rust's `tokenizers` does. */
const BEHAVIORS: Readonly<Record<string, Place>> = {
  isolated: (pieces) => pieces,
  removed: (pieces) => pieces.filter(({ isMatch }) => !isMatch),
  contiguous: (pieces) => merge(pieces, (before, piece) => before.isMatch === piece.isMatch),
  mergedwithprevious: (pieces) => merge(pieces, (before, piece) => piece.isMatch && !before.isMatch),
  mergedwithnext: (pieces) => merge(pieces, (before, piece) => before.isMatch && !piece.isMatch),
};

/** Settings of a cut at matches. */
export interface CutSettings {
  /** One of Isolated, Removed, Contiguous, MergedWithPrevious and MergedWithNext. */
  readonly behavior: unknown;
  /** Takes what lies between the matches for the matches. */
  readonly isInverted?: boolean;
}

/**
 * Makes the cut of a text at the matches of a finder.
 * @throws ValidationError when the behavior is none that is known.
 */
export function cutAtMatches(
  find: (text: string) => Iterable<TextRange>,
  { behavior, isInverted = false }: CutSettings,
): (text: string) => readonly TextRange[] {
  const name = String(behavior).toLowerCase();
  const place = Object.hasOwn(BEHAVIORS, name) ? BEHAVIORS[name] : undefined;
  if (place === undefined) {
    throw new ValidationError(
      `behavior of a part of the pre_tokenizer of this tokenizer.json must be one of Isolated, Removed, Contiguous, MergedWithPrevious and MergedWithNext, got ${JSON.stringify(behavior)}`,
    );
  }
  // Empty matches part what stands around them, and leave nothing themselves.
  return (text) => place(piecesOf(text, find(text), isInverted)).filter(({ start, end }) => end > start);
}

/**
 * Makes the cut of a text at single characters.
 * @param source - an expression with the flag `u` that matches one
 */
export function cutAtCharacters(source: string, behavior: unknown): (text: string) => readonly TextRange[] {
  const test = characterTest(source);
  const cut = cutAtMatches((text) => charactersIn(text, test), { behavior });
  return String(behavior).toLowerCase() === "removed" ? (text) => between(text, test) : cut;
}

function* charactersIn(text: string, test: CharacterTest): Generator<TextRange> {
  for (let start = 0; start < text.length; ) {
    const codePoint = text.codePointAt(start) ?? 0;
    const end = start + (codePoint > 0xffff ? 2 : 1);
    if (test(codePoint)) yield { start, end };
    start = end;
  }
}

/** The stretches without such characters; what is taken out leaves nothing that would take time. */
function between(text: string, test: CharacterTest): TextRange[] {
  const ranges: TextRange[] = [];
  let start = 0;
  for (let at = 0; at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    const end = at + (codePoint > 0xffff ? 2 : 1);
    if (test(codePoint)) {
      if (at > start) ranges.push({ start, end: at });
      start = end;
    }
    at = end;
  }
  if (text.length > start) ranges.push({ start, end: text.length });
  return ranges;
}

function piecesOf(text: string, matches: Iterable<TextRange>, isInverted: boolean): Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  for (const { start, end } of matches) {
    if (start > done) pieces.push({ start: done, end: start, isMatch: isInverted });
    pieces.push({ start, end, isMatch: !isInverted });
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
