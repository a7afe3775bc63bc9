import type { AddedToken } from "../file-format/tokenizer-json.js";
import { PrefixIndex } from "../text/prefix-index.js";
import type { TextRange } from "../text/text-range.js";
import { wellFormed } from "../text/well-formed.js";
import { SourceOffsets } from "./source-offsets.js";

/** A stretch of the text that was encoded: either one added token or text that the model encodes. */
export type Section =
  | { readonly token: AddedToken }
  | {
      readonly text: string;
      /** True where the stretch begins where the text given begins. */
      readonly isFirst: boolean;
    };

/**
 * Says of a found token whether it may become an id; if not, its text stays text.
 * @param locate - finds where it stands in the text given; takes a while where the text was normalised
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

  /** @param normalize - the tokenizer's normaliser; it is applied to each stretch of text between literal tokens */
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
      const keepsFirst = normalized === outer.text || this.#keepsFirst(outer.text);
      let offsets: SourceOffsets | undefined;
      const acceptsNormalized: TokenFilter = (token, locate) =>
        accepts(token, () => {
          offsets ??= new SourceOffsets(outer.text, normalized, this.#normalize);
          const { start, end } = offsets.rangeOf(locate());
          return { start: outer.start + start, end: outer.start + end };
        });
      for (const inner of this.#normalized.split(normalized, acceptsNormalized)) {
        const isFirst = outer.start === 0 && "start" in inner && inner.start === 0 && keepsFirst;
        sections.push("token" in inner ? inner : { text: inner.text, isFirst });
      }
    }
    return sections;
  }

  /** Says whether the normaliser leaves something of the first character: else the stretch begins behind the text's beginning. */
  #keepsFirst(text: string): boolean {
    const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
    return this.#normalize(first) !== "";
  }
}

/** A section that a {@link TokenFinder} finds. */
type FoundSection = { readonly token: AddedToken } | { readonly text: string; readonly start: number };

/** Finds a fixed set of tokens by their spelling. */
class TokenFinder {
  readonly #tokens: ReadonlyMap<string, AddedToken>;
  readonly #index: PrefixIndex;
  readonly #beginning: RegExp | undefined;

  constructor(entries: readonly (readonly [spelling: string, token: AddedToken])[]) {
    this.#tokens = new Map(
      entries.filter(([spelling]) => spelling !== "" && spelling === wellFormed(spelling)),
    );
    this.#index = new PrefixIndex(this.#tokens.keys());
    this.#beginning = anyOf(this.#index.firstUnits);
  }

  split(text: string, accepts: TokenFilter): FoundSection[] {
    const sections: FoundSection[] = [];
    let done = 0;
    let after = 0;
    let taken = 0;
    for (const { index: at } of this.#beginning === undefined ? [] : text.matchAll(this.#beginning)) {
      if (at < after) continue;
      const spelling = this.#index.longest(text, at);
      const token = spelling === undefined ? undefined : this.#tokens.get(spelling);
      if (spelling === undefined || token === undefined) continue;
      // Of what is found, the next one found begins behind it, also where it is not accepted.
      after = at + spelling.length;
      const found: TextRange = { start: at, end: after };
      if (!accepts(token, () => found)) continue;
      if (token.single_word && touchesWord(text, at, after)) continue;
      let { start, end } = found;
      if (token.lstrip) {
        // White space that the token before took along is not taken twice.
        while (start > done && WHITE_SPACE.test(text.charAt(start - 1))) start -= 1;
        start = Math.max(start, done);
      }
      if (token.rstrip) {
        // White space that was taken along before is not looked at again: it ends where it ended.
        end = Math.max(end, taken);
        while (WHITE_SPACE.test(text.charAt(end))) end += 1;
        taken = end;
      }
      // The token before has taken all of one that is white space itself.
      if (start >= end) continue;
      if (start > done) sections.push({ text: text.slice(done, start), start: done });
      sections.push({ token });
      // Less than before where white space that was taken along is a token, too: Rust reads what is behind it once more.
      done = end;
    }
    if (done < text.length) sections.push({ text: text.slice(done), start: done });
    return sections;
  }
}

/** A pattern of one unit that is any of those given. */
function anyOf(units: Iterable<number>): RegExp | undefined {
  const escaped = Array.from(units, (unit) => `\\u${unit.toString(16).padStart(4, "0")}`);
  return escaped.length === 0 ? undefined : new RegExp(`[${escaped.join("")}]`, "g");
}

const WHITE_SPACE = /^\p{White_Space}$/u;
// The meaning of `\w` in Rust's regular expressions.
const ENDS_WITH_WORD = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u;
const STARTS_WITH_WORD = /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u;

function touchesWord(text: string, start: number, end: number): boolean {
  // Two units hold the neighbouring character, be it a pair or not.
  return (
    ENDS_WITH_WORD.test(text.slice(Math.max(0, start - 2), start)) ||
    STARTS_WITH_WORD.test(text.slice(end, end + 2))
  );
}
