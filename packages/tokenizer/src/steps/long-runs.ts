import { characterTest } from "../patterns/character-test.js";
import type { TextRange } from "../text/text-range.js";

/** Characters, not UTF-16 units; a text is cut there whatever stands around. */
const MAX_TEXT = 400_000;
const MAX_RUN = 25_000;
/** White space as Python's `str.isspace` has it. */
const isSpace = characterTest("[\\p{White_Space}\\x1c-\\x1f]");

/**
 * Cuts a text as the tokenizer of Kimi does before tiktoken sees it (`tokenization_kimi.py`): after 400,000 characters, and in
 * runs of white space or of other characters after 25,000.
 */
export function longRuns(text: string): TextRange[] {
  if (text.length <= MAX_RUN) return [{ start: 0, end: text.length }];
  const ranges: TextRange[] = [];
  let [start, at, count, run] = [0, 0, 0, 0];
  let wasSpace: boolean | undefined;
  for (const character of text) {
    const isNowSpace = isSpace(character.codePointAt(0) ?? 0);
    const isFull = count === MAX_TEXT;
    run = isNowSpace === wasSpace && !isFull ? run + 1 : 1;
    if (isFull || run > MAX_RUN) {
      ranges.push({ start, end: at });
      start = at;
      run = 1;
    }
    count = isFull ? 1 : count + 1;
    wasSpace = isNowSpace;
    at += character.length;
  }
  ranges.push({ start, end: at });
  return ranges;
}
