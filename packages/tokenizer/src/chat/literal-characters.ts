import { PLAIN_STRINGS, peoplesStrings, type StringMaker } from "../template/values/from-json.js";
import type { TextValue } from "../template/values/text.js";
import { PrefixIndex } from "../text/prefix-index.js";

/** Tokens that {@link createLiteralCharacters} goes by. */
export interface LiteralCharacterOptions {
  /** The special tokens that people's strings may not become. */
  readonly tokens: readonly string[];
  /** The special tokens that they may become. */
  readonly allowed: readonly string[];
}

/** Finds the characters that people wrote and that keep special tokens from being found. */
export interface LiteralCharacters {
  /** Says how people's strings are given to a template. */
  readonly strings: StringMaker;
  /** The offsets in a rendered text of characters that no special token may hold. */
  offsets(text: TextValue): ReadonlySet<number>;
}

/**
 * Tells which of the characters that people wrote matter: those with which a special token begins or ends, and the first
 * of each stretch. A token that takes in the beginning or the end of a stretch, or all of it, holds one of these.
 */
export function createLiteralCharacters({ tokens, allowed }: LiteralCharacterOptions): LiteralCharacters {
  const folded = tokens.map((token) => fold(token.trim())).filter((token) => token !== "");
  if (folded.length === 0) return { strings: PLAIN_STRINGS, offsets: () => new Set() };
  const edges = new Set(folded.flatMap((token) => [[...token].at(0) ?? "", [...token].at(-1) ?? ""]));
  const known = new Map<string, boolean>();
  const isEdge = (character: string): boolean => {
    let answer = known.get(character);
    if (answer === undefined) {
      answer = [...fold(character)].some((part) => edges.has(part));
      known.set(character, answer);
    }
    return answer;
  };
  const allowedTokens = new PrefixIndex(allowed.filter((token) => token !== ""));

  return {
    strings: peoplesStrings(isEdge),
    offsets(text) {
      const offsets = new Set<number>();
      if (typeof text === "string") return offsets;
      for (let span = 0; span < text.spans.length; span += 2) {
        const [start = 0, end = 0] = text.spans.slice(span, span + 2);
        const piece = text.value.slice(start, end);
        for (let at = 0; at < piece.length; ) {
          const token = allowed.length === 0 ? undefined : allowedTokens.longest(piece, at);
          const character = String.fromCodePoint(piece.codePointAt(at) ?? 0);
          if (token === undefined && (at === 0 || isEdge(character))) offsets.add(start + at);
          at += token?.length ?? character.length;
        }
      }
      return offsets;
    },
  };
}

/** One spelling for all that normalisers may take for each other: `\uFF1C` and `\u226E` hold a `<` to some. */
function fold(text: string): string {
  return text.normalize("NFKD").toLowerCase();
}
