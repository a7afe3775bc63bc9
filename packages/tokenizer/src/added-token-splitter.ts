import type { AddedToken } from "./added-token.js";
import { literalPattern } from "./literal-pattern.js";
import { sourceRange, type TextRange } from "./source-range.js";

/** A stretch of the text that was encoded: either one added token or text that the model encodes. */
export type Section =
  | { readonly token: AddedToken }
  | {
      readonly text: string;
      /** Whether the stretch begins where the text given begins. */
      readonly first: boolean;
    };

/**
 * Says of a found token whether it may become an id; if not, its text stays text.
 * @param locate Finds where it stands in the text given; takes a while where the text was normalised.
 */
export type TokenFilter = (token: AddedToken, locate: () => TextRange) => boolean;

/**
 * Finds added tokens in text, as the Rust `tokenizers` library does: tokens with `normalized: false` in the text as
 * given, then the others in the normalised rest; the leftmost match wins, of several the longest.
 */
export class AddedTokenSplitter {
  readonly #normalize: (text: string) => string;
  readonly #literal: TokenFinder;
  readonly #normalized: TokenFinder;

  /** @param normalize The tokenizer's normaliser; it is applied to each stretch of text between literal tokens. */
  constructor(tokens: readonly AddedToken[], normalize: (text: string) => string) {
    this.#normalize = normalize;
    const entries = (normalized: boolean) =>
      tokens
        .filter((token) => token.normalized === normalized)
        .map((token): [string, AddedToken] => [normalized ? normalize(token.content) : token.content, token]);
    this.#literal = new TokenFinder(entries(false));
    this.#normalized = new TokenFinder(entries(true));
  }

  /** The stretches of `text` in order, texts normalised and none of them empty. */
  split(text: string, accepts: TokenFilter): Section[] {
    const sections: Section[] = [];
    for (const outer of this.#literal.split(text, accepts)) {
      if ("token" in outer) {
        sections.push(outer);
        continue;
      }
      const normalized = this.#normalize(outer.text);
      const acceptsNormalized: TokenFilter = (token, locate) =>
        accepts(token, () => {
          const found = locate();
          const { start, end } = sourceRange(outer.text, normalized, found.start, found.end, this.#normalize);
          return { start: outer.start + start, end: outer.start + end };
        });
      for (const inner of this.#normalized.split(normalized, acceptsNormalized)) {
        const first = outer.start === 0 && "start" in inner && inner.start === 0;
        sections.push("token" in inner ? inner : { text: inner.text, first });
      }
    }
    return sections;
  }
}

/** What a {@link TokenFinder} finds. */
type FoundSection = { readonly token: AddedToken } | { readonly text: string; readonly start: number };

/** Finds a fixed set of tokens by their spelling. */
class TokenFinder {
  readonly #tokens: ReadonlyMap<string, AddedToken>;
  readonly #pattern: RegExp | undefined;

  constructor(entries: readonly (readonly [spelling: string, token: AddedToken])[]) {
    this.#tokens = new Map(entries);
    this.#pattern = literalPattern(this.#tokens.keys());
  }

  split(text: string, accepts: TokenFilter): FoundSection[] {
    const sections: FoundSection[] = [];
    let done = 0;
    for (const match of this.#pattern === undefined ? [] : text.matchAll(this.#pattern)) {
      const token = this.#tokens.get(match[0]);
      if (token === undefined) continue;
      const found: TextRange = { start: match.index, end: match.index + match[0].length };
      if (!accepts(token, () => found)) continue;
      let { start, end } = found;
      if (token.single_word && touchesWord(text, start, end)) continue;
      if (token.lstrip) while (WHITE_SPACE.test(text.charAt(start - 1))) start--;
      if (token.rstrip) while (WHITE_SPACE.test(text.charAt(end))) end++;
      // White space that the token before took along is not given twice.
      start = Math.max(start, done);
      if (start > done) sections.push({ text: text.slice(done, start), start: done });
      sections.push({ token });
      done = Math.max(end, done);
    }
    if (done < text.length) sections.push({ text: text.slice(done), start: done });
    return sections;
  }
}

const WHITE_SPACE = /^\p{White_Space}$/u;
// What `\w` means in Rust's regular expressions.
const ENDS_WITH_WORD = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u;
const STARTS_WITH_WORD = /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u;

function touchesWord(text: string, start: number, end: number): boolean {
  // Two units hold the neighbouring character, be it a pair or not.
  return (
    ENDS_WITH_WORD.test(text.slice(Math.max(0, start - 2), start)) ||
    STARTS_WITH_WORD.test(text.slice(end, end + 2))
  );
}
