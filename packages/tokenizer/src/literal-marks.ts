import { literalPattern } from "./literal-pattern.js";

/** Code points that never stand for text: Unicode reserves them for a program's own use. */
const NONCHARACTERS = Array.from({ length: 32 }, (_, index) => String.fromCharCode(0xfdd0 + index));

/** Marks the special tokens that people wrote into their messages, so that they are known again after rendering. */
export interface LiteralMarks {
  /** A copy of `value` in which every string has its special tokens marked. */
  mark<T>(value: T): T;
  /** Takes the marks out again: the text, and the offsets at which marked tokens begin. */
  unmark(text: string): { readonly text: string; readonly literalOffsets: ReadonlySet<number> };
}

/**
 * Makes marks for `tokens`. A mark is a noncharacter that stands nowhere in `values`, put behind the first character
 * of each token.
 */
export function createLiteralMarks(tokens: readonly string[], values: readonly unknown[]): LiteralMarks {
  const pattern = literalPattern(tokens);
  const present = new Set(values.flatMap(strings).flatMap((text) => text.match(/[\uFDD0-\uFDEF]/g) ?? []));
  const sign = NONCHARACTERS.find((candidate) => !present.has(candidate));
  // Without a free mark (a text that holds all 32) nothing is marked; no honest text comes near.
  if (pattern === undefined || sign === undefined) {
    return { mark: (value) => value, unmark: (text) => ({ text, literalOffsets: new Set() }) };
  }
  const markText = (text: string) =>
    text.replace(pattern, (token) => token.slice(0, 1) + sign + token.slice(1));
  return {
    mark: (value) => mapStrings(value, markText),
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

/** All string values of JSON-like data. */
function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}

/** A copy of JSON-like data with every string value (not the keys) replaced. */
function mapStrings<T>(value: T, replace: (text: string) => string): T {
  const map = (part: unknown): unknown => {
    if (typeof part === "string") return replace(part);
    if (Array.isArray(part)) return part.map(map);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, map(inner)]));
  };
  // The copy has the shape of the original: only strings were replaced, by strings.
  return map(value) as T;
}
