import { ValidationError } from "@tinkex/base";

/** A regular expression, as a tree. */
export type PatternNode =
  /** One code point; `source` is written as JavaScript writes it, e.g. `\p{L}` or `[^a-z]`. */
  | { readonly kind: "character"; readonly source: string }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[]; readonly source: string }
  | { readonly kind: "choice"; readonly branches: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly body: PatternNode;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
      readonly source: string;
    }
  /** Looks ahead or, at one character, behind, and takes nothing. */
  | {
      readonly kind: "look";
      readonly body: PatternNode;
      readonly isBehind: boolean;
      readonly isNegative: boolean;
    };

const MAX_DEPTH = 100;
const LOOKS = [
  { opening: "?=", isBehind: false, isNegative: false },
  { opening: "?!", isBehind: false, isNegative: true },
  { opening: "?<=", isBehind: true, isNegative: false },
  { opening: "?<!", isBehind: true, isNegative: true },
] as const;

/**
 * Parses the source of a JavaScript regular expression with the flag `u`, as `RegExp.source` gives it.
 * @throws ValidationError for what cannot be matched in linear time (back references) and for what no tokenizer has.
 */
export function parsePattern(source: string): PatternNode {
  const parser = new PatternParser(source);
  return parser.parse();
}

class PatternParser {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): PatternNode {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw this.#refuse("a bracket that closes none");
    return node;
  }

  #choice(): PatternNode {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#refuse(`more than ${MAX_DEPTH} groups in one another`);
    const first = this.#sequence();
    const branches = [first];
    while (this.#take("|")) branches.push(this.#sequence());
    this.#depth -= 1;
    return branches.length === 1 ? first : { kind: "choice", branches };
  }

  #sequence(): PatternNode {
    const start = this.#at;
    const items: PatternNode[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#peek())) items.push(this.#repeat());
    return { kind: "sequence", items, source: this.#source.slice(start, this.#at) };
  }

  #repeat(): PatternNode {
    const start = this.#at;
    const body = this.#atom();
    const counts = this.#counts();
    if (counts === undefined) return body;
    if (body.kind === "look") throw this.#refuse("a repeated look around");
    const isLazy = this.#take("?");
    return { kind: "repeat", body, ...counts, isLazy, source: this.#source.slice(start, this.#at) };
  }

  #counts(): { readonly min: number; readonly max: number } | undefined {
    if (this.#take("*")) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#take("+")) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#take("?")) return { min: 0, max: 1 };
    const end = this.#source.indexOf("}", this.#at);
    if (this.#peek() !== "{" || end === -1) return undefined;
    const [min = "", max] = this.#source.slice(this.#at + 1, end).split(",", 2);
    this.#at = end + 1;
    return {
      min: Number(min),
      max: max === undefined ? Number(min) : max === "" ? Number.POSITIVE_INFINITY : Number(max),
    };
  }

  #atom(): PatternNode {
    if (this.#take("(")) return this.#group();
    if (this.#peek() === "[") return this.#character(this.#endOfClass());
    if (this.#peek() === "\\") return this.#character(this.#endOfEscape());
    if ("^$".includes(this.#peek())) throw this.#refuse("an anchor");
    return this.#character(this.#at + String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0).length);
  }

  #character(end: number): PatternNode {
    const source = this.#source.slice(this.#at, end);
    this.#at = end;
    return { kind: "character", source };
  }

  #group(): PatternNode {
    const look = LOOKS.find(({ opening }) => this.#take(opening));
    if (look === undefined && !this.#take("?:") && this.#peek() === "?") throw this.#refuse("a named group");
    const body = this.#choice();
    if (!this.#take(")")) throw this.#refuse("a group without its end");
    if (look === undefined) return body;
    if (look.isBehind && !isOneCharacter(body)) throw this.#refuse("a look behind of more than a character");
    return { kind: "look", body, isBehind: look.isBehind, isNegative: look.isNegative };
  }

  #endOfClass(): number {
    let at = this.#at + 1;
    while (at < this.#source.length && this.#source[at] !== "]") at += this.#source[at] === "\\" ? 2 : 1;
    return at + 1;
  }

  #endOfEscape(): number {
    const letter = this.#source.charAt(this.#at + 1);
    if (/[1-9kbB]/.test(letter)) throw this.#refuse("a back reference or word boundary");
    if ("pPu".includes(letter) && this.#source[this.#at + 2] === "{") {
      return this.#source.indexOf("}", this.#at) + 1;
    }
    const digits = letter === "u" ? 4 : letter === "x" ? 2 : letter === "c" ? 1 : 0;
    return this.#at + 2 + digits;
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #refuse(what: string): ValidationError {
    return refusedPattern(this.#source, `it has ${what}`);
  }
}

/** The error for a pattern of a tokenizer.json that is not run. */
export function refusedPattern(source: string, why: string): ValidationError {
  const shown = source.length > 80 ? `${source.slice(0, 80)}…` : source;
  return new ValidationError(
    `the pattern ${JSON.stringify(shown)} of this tokenizer.json must be one that linear time is enough for, and ${why}; register a source that gives your own tokenizer for it`,
  );
}

function isOneCharacter(node: PatternNode): boolean {
  if (node.kind === "choice") return node.branches.every(isOneCharacter);
  if (node.kind === "sequence") return node.items.length === 1 && node.items.every(isOneCharacter);
  return node.kind === "character";
}
