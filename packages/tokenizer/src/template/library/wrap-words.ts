import { characterOffsets, isWhiteSpace, lineRanges } from "../values/python-text.js";
import type { Run } from "../values/run.js";
import { plain, sliceText, type TextValue } from "../values/text.js";

/** Rules of wrapping words, as Python's `textwrap` has them. */
export interface WrapForm {
  readonly width: number;
  /** Breaks words that are longer than a line. */
  readonly breaksLongWords: boolean;
  /** Takes a hyphen between letters, and a dash of several, for a place to break at. */
  readonly splitsAtHyphens: boolean;
  /** Breaks long words behind a hyphen, if there is one that fits. */
  readonly prefersHyphens: boolean;
}

/** Lines of at most so many characters; each line of the text is wrapped on its own. An empty one has none. */
export function wrapWords(text: TextValue, form: WrapForm, run: Run): TextValue[][] {
  const value = plain(text);
  // The characters of a line, their offsets, and the chunks of it.
  run.budget.allocate(48 + 64 * value.length, "wordwrap");
  run.budget.spend(1 + value.length, "wordwrap");
  return lineRanges(value).map(({ start, end }) => {
    const line = value.slice(start, end);
    const offsets = characterOffsets(line);
    const part = ({ from, to }: Chunk) =>
      sliceText(text, start + (offsets[from] ?? 0), start + (offsets[to] ?? 0));
    const characters = Array.from(line);
    const lines = wrapChunks(characters, chunksOf(characters, form.splitsAtHyphens), form);
    return lines.map((chunks) => run.join(chunks.map(part), "wordwrap"));
  });
}

/** A stretch of a line that is not broken, by the numbers of its first character and of the one behind its last. */
interface Chunk {
  readonly from: number;
  readonly to: number;
}

const isBlank = (character: string | undefined) =>
  character !== undefined && "\t\n\x0b\x0c\r ".includes(character);
const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character);
const isLetter = (character: string | undefined) => isWord(character) && !/\p{Nd}/u.test(character ?? "");
const isBeforeDash = (character: string | undefined) =>
  isWord(character) || (character !== undefined && `!"'&.,?`.includes(character));

function chunksOf(characters: readonly string[], splitsAtHyphens: boolean): Chunk[] {
  const chunks: Chunk[] = [];
  for (let from = 0; from < characters.length; from = chunks.at(-1)?.to ?? characters.length)
    chunks.push({ from, to: endOfChunk(characters, from, splitsAtHyphens) });
  return chunks;
}

function endOfChunk(characters: readonly string[], from: number, splitsAtHyphens: boolean): number {
  const startsBlank = isBlank(characters[from]);
  const dash = splitsAtHyphens && !startsBlank ? endOfDash(characters, from) : undefined;
  if (dash !== undefined) return dash;
  for (let at = from + 1; at < characters.length; at += 1) {
    if (startsBlank !== isBlank(characters[at])) return at;
    if (startsBlank || !splitsAtHyphens) continue;
    if (isHyphenOfWord(characters, at)) return at + 1;
    if (endOfDash(characters, at) !== undefined) return at;
  }
  return characters.length;
}

/** The end of a dash of two hyphens or more between two words that begins at a character. */
function endOfDash(characters: readonly string[], at: number): number | undefined {
  if (characters[at] !== "-" || characters[at + 1] !== "-" || !isBeforeDash(characters[at - 1]))
    return undefined;
  let end = at + 2;
  while (characters[end] === "-") end += 1;
  return isWord(characters[end]) ? end : undefined;
}

/** Says whether a hyphen has two letters before it and behind it, which other hyphens may stand between. */
function isHyphenOfWord(characters: readonly string[], at: number): boolean {
  if (characters[at] !== "-") return false;
  const before = [characters[at - 3], characters[at - 2], characters[at - 1]];
  const hasLettersBefore =
    isLetter(before[2]) && (isLetter(before[1]) || (before[1] === "-" && isLetter(before[0])));
  const second = characters[at + 2] === "-" ? characters[at + 3] : characters[at + 2];
  return hasLettersBefore && isLetter(characters[at + 1]) && isLetter(second);
}

function wrapChunks(characters: readonly string[], chunks: readonly Chunk[], form: WrapForm): Chunk[][] {
  const lines: Chunk[][] = [];
  const isSpace = ({ from, to }: Chunk) => {
    let at = from;
    while (at < to && isWhiteSpace(characters[at]?.charCodeAt(0) ?? 0)) at += 1;
    return at === to;
  };
  const rest = chunks.toReversed();
  for (let next = rest.at(-1); next !== undefined; next = rest.at(-1)) {
    const line: Chunk[] = [];
    if (lines.length > 0 && isSpace(next)) rest.pop();
    let length = 0;
    for (
      next = rest.at(-1);
      next !== undefined && length + next.to - next.from <= form.width;
      next = rest.at(-1)
    ) {
      line.push(next);
      length += next.to - next.from;
      rest.pop();
    }
    if (next !== undefined && next.to - next.from > form.width)
      breakWord(characters, rest, line, form, length);
    const last = line.at(-1);
    if (last !== undefined && isSpace(last)) line.pop();
    if (line.length > 0) lines.push(line);
  }
  return lines;
}

/** Puts the beginning of a word that is longer than a line, or all of it, behind what is on the line. */
function breakWord(
  characters: readonly string[],
  rest: Chunk[],
  line: Chunk[],
  form: WrapForm,
  length: number,
): void {
  const word = rest.pop();
  if (word === undefined) return;
  const { from, to } = word;
  if (form.breaksLongWords) {
    const end = from + endOfPart(characters.slice(from, from + form.width - length), to - from, form);
    line.push({ from, to: Math.min(end, to) });
    rest.push({ from: end, to });
  } else if (line.length === 0) line.push(word);
  else rest.push(word);
}

/** The number of characters of a word that go on a line with room for some, behind the last hyphen of these if there is one. */
function endOfPart(part: readonly string[], length: number, form: WrapForm): number {
  const hyphen = form.prefersHyphens && length > part.length ? part.lastIndexOf("-") : -1;
  const isBehindWord = hyphen > 0 && part.slice(0, hyphen).some((character) => character !== "-");
  return isBehindWord ? hyphen + 1 : part.length;
}
