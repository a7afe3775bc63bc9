import { ValidationError } from "@tinkex/base";
import { patternFinder } from "../patterns/pattern-finder.js";
import { asUnicode16 } from "../text/as-unicode-16.js";
import { spellBytes } from "../text/byte-level.js";
import { NUMERIC, PUNCTUATION, WHITE_SPACE } from "../text/character-classes.js";
import type { TextRange } from "../text/text-range.js";
import { leafParts, type PartConfig, partOfType } from "./leaf-parts.js";
import { longRuns } from "./long-runs.js";
import { metaspaceStep } from "./metaspace.js";
import { replaceStep } from "./replace-step.js";
import { cutAtCharacters, cutAtMatches } from "./split-behavior.js";
import { scriptCut } from "./unicode-scripts.js";
import { checkGrowth } from "./within-growth.js";
import { changeEach, cutEach, type WordStep } from "./words.js";

/** Steps from a text to what the model gets. */
export interface PreTokenizer {
  /** Splits a text into words. `isFirst`: it begins the text that was given. */
  split(text: string, isFirst: boolean): readonly string[];
  /**
   * Spells a word as the model knows it: in bytes where that is the last step, as in all byte-level families. Apart from the split,
   * so that words that come again are known by how they are written, and are not spelled again.
   */
  spell(word: string): string;
}

/** Makers of the kinds of pre-tokenizers that Rust's `tokenizers` 0.23 has, each of one step or more; `Replace` is JavaScript's alone, and `LongRuns` Kimi's. */
const PRE_TOKENIZERS: Readonly<Record<string, (part: PartConfig) => readonly WordStep[]>> = {
  BertPreTokenizer: () => [atCharacters(WHITE_SPACE, "Removed"), atCharacters(PUNCTUATION, "Isolated")],
  ByteLevel: byteLevel,
  CharDelimiterSplit: ({ delimiter }) => [atText(delimiter)],
  Digits: ({ individual_digits: isEach }) => [
    atCharacters(NUMERIC, isEach === true ? "Isolated" : "Contiguous"),
  ],
  FixedLength: ({ length = 5 }) => [cutEach(lengthCut(Number(length)))],
  LongRuns: () => [cutEach(longRuns)],
  Metaspace: metaspaceStep,
  Punctuation: ({ behavior = "Isolated" }) => [atCharacters(PUNCTUATION, behavior)],
  Replace: (part) => [changeEach(replaceStep(part, "pre_tokenizer"))],
  Split: ({ pattern, behavior = "Isolated", invert }) => [
    cutEach(cutAtMatches(patternFinder(pattern), { behavior, isInverted: invert === true })),
  ],
  UnicodeScripts: () => [cutEach(scriptCut())],
  Whitespace: () => [cutEach(wordsAndSigns)],
  WhitespaceSplit: () => [atCharacters(WHITE_SPACE, "Removed")],
};

/**
 * Makes the pre-tokenizer of a tokenizer.json.
 * @throws ValidationError when a part is not known.
 */
export function createPreTokenizer(section: object | null): PreTokenizer {
  const steps = leafParts(section, "pretokenizers").flatMap((part) =>
    partOfType(PRE_TOKENIZERS, part, "pre_tokenizer")(part),
  );
  const isSpelled = steps.at(-1) === spellEach;
  if (isSpelled) steps.pop();
  return {
    split(text, isFirst) {
      let words = { texts: [text] as readonly string[], startsText: isFirst };
      for (const step of steps) {
        words = step(words);
        checkGrowth(totalLength(words.texts), text.length, "pre_tokenizer");
      }
      return words.texts;
    },
    spell: isSpelled ? spellBytes : (word) => word,
  };
}

function atCharacters(source: string, behavior: unknown): WordStep {
  return cutEach(cutAtCharacters(source, behavior));
}

function atText(delimiter: unknown): WordStep {
  if (typeof delimiter !== "string" || [...delimiter].length !== 1) {
    throw new ValidationError(
      "delimiter of a CharDelimiterSplit of this tokenizer.json must be one character, got something else",
    );
  }
  return cutEach(cutAtMatches(patternFinder({ String: delimiter }), { behavior: "Removed" }));
}

const spellEach = changeEach(spellBytes);

/** The words of GPT-2 (`tokenizers/src/pre_tokenizers/byte_level.rs`). */
const GPT_2 = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;

function byteLevel({ add_prefix_space: addsSpace, use_regex: usesRegex }: PartConfig): WordStep[] {
  const steps: WordStep[] = [];
  if (addsSpace !== false) steps.push(changeEach((text) => (text.startsWith(" ") ? text : ` ${text}`)));
  if (usesRegex !== false) {
    steps.push(cutEach(cutAtMatches(patternFinder({ Regex: GPT_2 }), { behavior: "Isolated" })));
  }
  return [...steps, spellEach];
}

function lengthCut(length: number): (text: string) => Iterable<TextRange> {
  return function* (text) {
    let [start, at, count] = [0, 0, 0];
    for (const character of text) {
      at += character.length;
      count += 1;
      if (count % length !== 0) continue;
      yield { start, end: at };
      start = at;
    }
    yield { start, end: at };
  };
}

/** Words as `\w` of Rust's crate `regex` has them, and what is neither those nor white space. */
const EACH_WORD_OR_SIGNS =
  /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+/gu;

function* wordsAndSigns(text: string): Generator<TextRange> {
  for (const { index, 0: word } of asUnicode16(text).matchAll(EACH_WORD_OR_SIGNS)) {
    yield { start: index, end: index + word.length };
  }
}

function totalLength(words: readonly string[]): number {
  let length = 0;
  for (const word of words) length += word.length;
  return length;
}
