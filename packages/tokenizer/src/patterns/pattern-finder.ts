import { ValidationError } from "@tinkex/base";
import { asUnicode16 } from "../text/as-unicode-16.js";
import { widthAt } from "../text/code-points.js";
import type { TextRange } from "../text/text-range.js";
import { compilePattern, mayBeEmpty } from "./compile-pattern.js";
import { isLinearNatively } from "./is-linear-natively.js";
import { SplitPreTokenizer } from "./library-classes.js";
import { linearMatches } from "./linear-matcher.js";
import { type PatternNode, parsePattern, refusedPattern } from "./pattern-syntax.js";

/** Finds all matches in a text, from left to right. */
export type PatternFinder = (text: string) => Iterable<TextRange>;

const MAX_SOURCE_LENGTH = 10_000;

/**
 * Makes the finder of a pattern of a tokenizer.json, `{ String }` or `{ Regex }`, in time that grows with the text
 * whatever the pattern is. The library turns the expression from Oniguruma's syntax into JavaScript's; its classes are those of
 * Unicode 16.
 *
 * @throws ValidationError for what is no pattern, or for an expression that is not run here.
 */
export function patternFinder(pattern: unknown): PatternFinder {
  if (typeof pattern === "object" && pattern !== null) {
    // Rust makes an expression of a text, too, and the empty one matches between all characters.
    if ("String" in pattern && typeof pattern.String === "string")
      return pattern.String === "" ? expressionFinder("") : textFinder(pattern.String);
    if ("Regex" in pattern && typeof pattern.Regex === "string") return expressionFinder(pattern.Regex);
  }
  throw new ValidationError(
    'a pattern of this tokenizer.json must be {"String": text} or {"Regex": expression}, got something else; download it again',
  );
}

function* findText(text: string, wanted: string): Generator<TextRange> {
  for (let start = text.indexOf(wanted); start !== -1; start = text.indexOf(wanted, start + wanted.length)) {
    yield { start, end: start + wanted.length };
  }
}

function textFinder(wanted: string): PatternFinder {
  return (text) => findText(text, wanted);
}

function expressionFinder(source: string): PatternFinder {
  if (source.length > MAX_SOURCE_LENGTH) {
    throw refusedPattern(source, `it is longer than ${MAX_SOURCE_LENGTH} characters`);
  }
  const expression = inJavaScript(source);
  const tree = parsePattern(expression.source);
  const find = matcherOf(tree, expression, source);
  return mayBeEmpty(tree) ? (text) => withoutStrayMatches(find(text), text) : find;
}

function matcherOf(tree: PatternNode, expression: RegExp, source: string): PatternFinder {
  if (isLinearNatively(tree)) return (text) => nativeMatches(expression, asUnicode16(text));
  const program = compilePattern(tree, source);
  return (text) => linearMatches(program, asUnicode16(text));
}

function inJavaScript(source: string): RegExp {
  try {
    const { pattern } = new SplitPreTokenizer({
      type: "Split",
      pattern: { Regex: source },
      behavior: "Isolated",
      invert: false,
    });
    if (pattern instanceof RegExp) return source.includes("(?i") ? withFoldedLetters(pattern) : pattern;
  } catch (cause) {
    throw refusedPattern(
      source,
      `it cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  throw refusedPattern(source, "it cannot be read");
}

/** Adds what Oniguruma takes for the letters s and k without regard to case: the long s and the sign for kelvin. */
function withFoldedLetters({ source, flags }: RegExp): RegExp {
  return new RegExp(source.replaceAll("[sS]", "[sS\u017f]").replaceAll("[kK]", "[kK\u212a]"), flags);
}

/** Matches of `matchAll`, which would copy the expression for each text: half of the time where texts are short words. */
function* nativeMatches(expression: RegExp, text: string): Generator<TextRange> {
  for (let from = 0; from <= text.length; ) {
    // Set each time, since another text may have been searched in between.
    expression.lastIndex = from;
    const match = expression.exec(text);
    if (match === null) return;
    const end = match.index + match[0].length;
    yield { start: match.index, end };
    from = end > match.index ? end : end + widthAt(text, end);
  }
}

/**
 * Leaves out empty matches that Oniguruma does not give: those right behind another match, and those between the halves of a
 * surrogate pair, where V8 takes a text for ended (`/(?![^])/gu`).
 */
function* withoutStrayMatches(matches: Iterable<TextRange>, text: string): Generator<TextRange> {
  let before: number | undefined;
  for (const match of matches) {
    const { start, end } = match;
    if (start === end && (end === before || isWithinPair(text, start))) continue;
    before = end;
    yield match;
  }
}

function isWithinPair(text: string, place: number): boolean {
  return place > 0 && (text.codePointAt(place - 1) ?? 0) > 0xffff;
}
