import { ValidationError } from "@tinkex/base";
import { literalPattern } from "./literal-pattern.js";

/** Code points that never stand for text: Unicode reserves them for a program's own use. */
const NONCHARACTERS = Array.from({ length: 32 }, (_, index) => String.fromCharCode(0xfdd0 + index));

/** What {@link createLiteralMarks} goes by. */
export interface LiteralMarkOptions {
  /** The special tokens that people's strings may not become. */
  readonly tokens: readonly string[];
  /** The special tokens that they may become. */
  readonly allowed: readonly string[];
  /** The texts that stand in the template, with which it may compare strings. */
  readonly words: ReadonlySet<string>;
  /** Everything that is rendered; the mark is none of its characters. */
  readonly values: readonly unknown[];
}

/** Marks characters that people wrote, so that they are known again after rendering. */
export interface LiteralMarks {
  /**
   * A copy of `value` in which every string has marks where it could be part of a special token. The `role` of a
   * message and the names of fields are the program's words: they may be the middle of one (`<|{{ role }}|>`).
   */
  mark<T>(value: T): T;
  /** Takes the marks out again: the text, and the offsets of characters that are people's. */
  unmark(text: string): { readonly text: string; readonly literalOffsets: ReadonlySet<number> };
}

/**
 * Makes marks that survive what templates do to strings: trimming, splitting, joining, comparing. Brackets around each
 * string would not: `trim` and `startswith` would see them. So a mark (a noncharacter) stands behind each character
 * with which a special token begins or ends; no token can take in the beginning or the end of a string without one.
 * A string that could be the middle of a token has one too. Not marked is a text that the template itself has, such as
 * `</think>`, where no special token could take part of it.
 *
 * @throws ValidationError when the values hold all 32 characters that could be the mark.
 */
export function createLiteralMarks(options: LiteralMarkOptions): LiteralMarks {
  const tokens = options.tokens.map((token) => fold(token.trim())).filter((token) => token !== "");
  if (tokens.length === 0) {
    return { mark: (value) => value, unmark: (text) => ({ text, literalOffsets: new Set() }) };
  }
  const texts = options.values.flatMap(strings);
  const sign = freeSign(texts);
  const edges = new Set(tokens.flatMap((token) => [[...token].at(0) ?? "", [...token].at(-1) ?? ""]));
  const hasEdge = (text: string) => [...fold(text)].some((character) => edges.has(character));
  const untouched = [...options.words]
    .filter((word) => hasEdge(word) && texts.some((text) => text.includes(word)))
    .filter((word) => !tokens.some((token) => touches(fold(word), token)));
  const kept = new Set([...untouched, ...options.allowed]);
  const candidates = [kept, [...edges].flatMap((edge) => [edge, edge.toUpperCase()])].flatMap(
    (found) => literalPattern(found)?.source ?? [],
  );
  const pattern = new RegExp([...candidates, "[^\\0-\\x7F]"].join("|"), "gu");

  const markEdges = (text: string) =>
    text.replace(pattern, (found) => (kept.has(found) || !hasEdge(found) ? found : found + sign));
  const markText = (text: string) => {
    const marked = markEdges(text);
    const core = text.trim();
    if (marked !== text || core === "" || options.words.has(text)) return marked;
    const folded = fold(core);
    return tokens.some((token) => token.includes(folded)) ? text.replace(/\S/u, `$&${sign}`) : text;
  };

  return {
    mark: (value) => mapStrings(value, markText, markEdges),
    unmark(text) {
      const parts = text.split(sign);
      const literalOffsets = new Set<number>();
      let length = 0;
      for (const part of parts.slice(0, -1)) {
        length += part.length;
        literalOffsets.add(length - 1);
      }
      return { text: parts.join(""), literalOffsets };
    },
  };
}

/** One spelling for all that normalisers may take for each other: `\uFF1C` and `\u226E` hold a `<` to some. */
function fold(text: string): string {
  return text.normalize("NFKD").toLowerCase();
}

/** Whether a token can take in part of the word, or the word part of a token. */
function touches(word: string, token: string): boolean {
  return word.includes(token) || token.includes(word) || overlaps(word, token) || overlaps(token, word);
}

/** Whether the second text can begin within the first. */
function overlaps(first: string, second: string): boolean {
  for (let length = 1; length < second.length; length++) {
    if (first.endsWith(second.slice(0, length))) return true;
  }
  return false;
}

function freeSign(texts: readonly string[]): string {
  const present = new Set(texts.flatMap((text) => text.match(/[\uFDD0-\uFDEF]/g) ?? []));
  const sign = NONCHARACTERS.find((candidate) => !present.has(candidate));
  if (sign !== undefined) return sign;
  throw new ValidationError(
    "The messages hold every noncharacter from U+FDD0 to U+FDEF, and one is needed to tell them from the template. Take one out: Unicode has no text with them.",
    { path: ["messages"] },
  );
}

/** All strings of JSON-like data, names of fields included. */
function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(strings);
  return typeof value === "object" && value !== null ? Object.entries(value).flatMap(strings) : [];
}

/** A copy of JSON-like data with every string replaced; names of fields and what `role` holds, by `replaceName`. */
function mapStrings<T>(
  value: T,
  replace: (text: string) => string,
  replaceName: (name: string) => string,
): T {
  const map = (part: unknown): unknown => {
    if (typeof part === "string") return replace(part);
    if (Array.isArray(part)) return part.map(map);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, inner]) => [
        replaceName(key),
        key === "role" && typeof inner === "string" ? replaceName(inner) : map(inner),
      ]),
    );
  };
  // The copy has the shape of the original: only strings were replaced, by strings.
  return map(value) as T;
}
