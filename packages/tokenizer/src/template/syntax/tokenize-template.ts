import { isWhiteSpace, stripRange } from "../values/python-text.js";
import { TemplateError } from "../values/template-error.js";
import { readStringLiteral } from "./read-string-literal.js";

/** A piece of a template's source. */
export interface TemplateToken {
  readonly type:
    | "data"
    | "variable_begin"
    | "variable_end"
    | "block_begin"
    | "block_end"
    | "name"
    | "string"
    | "integer"
    | "float"
    | "operator"
    | "eof";
  /** The text, of a string without its quotes and escapes. */
  readonly value: string;
  readonly line: number;
}

const OPERATORS_OF_TWO: ReadonlySet<string> = new Set(["//", "**", "==", "!=", ">=", "<="]);
const OPERATORS_OF_ONE: ReadonlySet<string> = new Set("+-/*%~[](){}><=.:|,;");
const CLOSING: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]" };

/**
 * Cuts a template into tokens as jinja2's lexer does with `trim_blocks` and `lstrip_blocks`, in time that grows with
 * the source.
 * @throws TemplateError for what jinja2 refuses.
 */
export function tokenizeTemplate(source: string): TemplateToken[] {
  return new Lexer(source).run();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: TemplateToken[] = [];
  /** The brackets that are to be closed. */
  readonly #open: string[] = [];
  #at = 0;
  #line = 1;
  /** Marks where the next line break stands, which is looked for once. */
  #nextBreak: number;
  /** Says whether what was read last ended with a line break, or nothing was. */
  #isLineStart = true;

  constructor(source: string) {
    const unix = source.replace(/\r\n?/g, "\n");
    this.#source = unix.endsWith("\n") ? unix.slice(0, -1) : unix;
    this.#nextBreak = this.#breakFrom(0);
  }

  run(): TemplateToken[] {
    while (this.#at < this.#source.length) this.#root();
    this.#push("eof", "");
    return this.#tokens;
  }

  #root(): void {
    const tag = this.#nextTag();
    const text = this.#source.slice(this.#at, tag);
    if (tag === this.#source.length) {
      this.#data(text);
      this.#advance(tag);
      return;
    }
    const kind = this.#source.charAt(tag + 1);
    const sign = this.#signAt(tag + 2);
    const afterSign = tag + 2 + sign.length;
    this.#data(this.#strippedBefore(text, sign, kind !== "{"));
    this.#advance(tag);
    const raw = kind === "%" ? this.#endOfTag(afterSign, "raw", true) : undefined;
    if (raw !== undefined) {
      this.#advance(raw);
      this.#raw();
    } else if (kind === "#") {
      this.#advance(afterSign);
      this.#comment();
    } else {
      this.#push(kind === "{" ? "variable_begin" : "block_begin", kind);
      this.#advance(afterSign);
      this.#inside(kind === "{" ? "}}" : "%}");
    }
  }

  /** Finds where the next tag begins, or the end. */
  #nextTag(): number {
    for (let at = this.#source.indexOf("{", this.#at); at !== -1; at = this.#source.indexOf("{", at + 1)) {
      if ("{%#".includes(this.#source.charAt(at + 1) || " ")) return at;
    }
    return this.#source.length;
  }

  #signAt(at: number): string {
    const sign = this.#source.charAt(at);
    return sign === "-" || sign === "+" ? sign : "";
  }

  /** A text without the white space that the tag behind it takes away. */
  #strippedBefore(text: string, sign: string, isBlock: boolean): string {
    if (sign === "-") return text.slice(0, stripRange(text, { hasLeft: false, hasRight: true }).end);
    if (sign === "+" || !isBlock) return text;
    const lineStart = text.lastIndexOf("\n") + 1;
    if (lineStart === 0 && !this.#isLineStart) return text;
    for (let at = lineStart; at < text.length; at += 1) if (!isWhiteSpace(text.charCodeAt(at))) return text;
    return text.slice(0, lineStart);
  }

  #data(text: string): void {
    if (text !== "") this.#push("data", text);
  }

  #push(type: TemplateToken["type"], value: string): void {
    this.#tokens.push({ type, value, line: this.#line });
  }

  #advance(to: number): void {
    while (this.#nextBreak < to) {
      this.#line += 1;
      this.#nextBreak = this.#breakFrom(this.#nextBreak + 1);
    }
    if (to > this.#at) this.#isLineStart = this.#source.charAt(to - 1) === "\n";
    this.#at = to;
  }

  #breakFrom(at: number): number {
    const found = this.#source.indexOf("\n", at);
    return found === -1 ? Number.POSITIVE_INFINITY : found;
  }

  #afterWhiteSpace(from: number): number {
    let at = from;
    while (at < this.#source.length && isWhiteSpace(this.#source.charCodeAt(at))) at += 1;
    return at;
  }

  /** Finds where a tag `name` ends that goes on at `from`; undefined when there is another, or it has more in it. */
  #endOfTag(from: number, name: string, isBeginning: boolean): number | undefined {
    const at = this.#afterWhiteSpace(from);
    if (!this.#source.startsWith(name, at)) return undefined;
    const after = this.#afterWhiteSpace(at + name.length);
    if (!isBeginning) return this.#endOfBlock(after, "%}", true);
    if (this.#source.startsWith("-%}", after)) return this.#afterWhiteSpace(after + 3);
    return this.#source.startsWith("%}", after) ? after + 2 : undefined;
  }

  /** Finds where the end of a block or comment ends that begins at `at`, with the line break or white space it takes away. */
  #endOfBlock(at: number, closing: string, allowsPlus: boolean): number | undefined {
    if (this.#source.startsWith(`-${closing}`, at)) return this.#afterWhiteSpace(at + 1 + closing.length);
    if (allowsPlus && this.#source.startsWith(`+${closing}`, at)) return at + 1 + closing.length;
    if (!this.#source.startsWith(closing, at)) return undefined;
    const end = at + closing.length;
    return closing !== "}}" && this.#source[end] === "\n" ? end + 1 : end;
  }

  #comment(): void {
    const closing = this.#source.indexOf("#}", this.#at);
    if (closing === -1) throw new TemplateError("a comment has no end", this.#line);
    const sign = closing > this.#at ? this.#signAt(closing - 1) : "";
    this.#advance(this.#endOfBlock(closing - sign.length, "#}", true) ?? closing + 2);
  }

  #raw(): void {
    for (let at = this.#source.indexOf("{%", this.#at); at !== -1; at = this.#source.indexOf("{%", at + 2)) {
      const sign = this.#signAt(at + 2);
      const end = this.#endOfTag(at + 2 + sign.length, "endraw", false);
      if (end === undefined) continue;
      const text = this.#source.slice(this.#at, at);
      this.#data(this.#strippedBefore(text, sign, true));
      this.#advance(end);
      return;
    }
    throw new TemplateError("a raw block has no end", this.#line);
  }

  /** Reads up to the end of a tag. */
  #inside(closing: "}}" | "%}"): void {
    for (;;) {
      this.#advance(this.#afterWhiteSpace(this.#at));
      if (this.#at >= this.#source.length) return;
      const end = this.#open.length === 0 ? this.#endOfBlock(this.#at, closing, closing === "%}") : undefined;
      if (end !== undefined) {
        this.#push(closing === "}}" ? "variable_end" : "block_end", closing);
        this.#advance(end);
        return;
      }
      this.#token();
    }
  }

  #token(): void {
    const character = this.#source.charAt(this.#at);
    if (isDigit(character)) this.#number();
    else if (character === "'" || character === '"') this.#string(character);
    else if (!this.#name()) this.#operator();
  }

  #number(): void {
    const start = this.#at;
    const prefix = this.#source.slice(start, start + 2).toLowerCase();
    const digits = { "0b": "01", "0o": "01234567", "0x": "0123456789abcdef" }[prefix];
    if (digits !== undefined) {
      const end = this.#afterDigits(start + 2, digits);
      this.#push("integer", this.#source.slice(start, end).replaceAll("_", ""));
      this.#advance(end);
      return;
    }
    let end = this.#afterDigits(start, DIGITS);
    let isFloat = false;
    if (this.#source[start - 1] !== ".") {
      const fraction = this.#source[end] === "." && isDigit(this.#source.charAt(end + 1));
      if (fraction) end = this.#afterDigits(end + 1, DIGITS);
      const exponent = this.#afterExponent(end);
      isFloat = fraction || exponent > end;
      end = exponent;
    }
    const written = this.#source.slice(start, end).replaceAll("_", "");
    if (!isFloat && written.length > 1 && written.startsWith("0") && Number(written) !== 0) {
      throw new TemplateError(`${written} is no number`, this.#line);
    }
    this.#push(isFloat ? "float" : "integer", written);
    this.#advance(end);
  }

  #afterExponent(at: number): number {
    if (!/^e$/i.test(this.#source.charAt(at))) return at;
    const signed = "+-".includes(this.#source.charAt(at + 1) || " ") ? at + 2 : at + 1;
    return isDigit(this.#source.charAt(signed)) ? this.#afterDigits(signed, DIGITS) : at;
  }

  /** Behind digits, of which two may have `_` between them. */
  #afterDigits(from: number, digits: string): number {
    const isOne = (at: number) =>
      at < this.#source.length && digits.includes(this.#source.charAt(at).toLowerCase());
    let at = from;
    while (isOne(at) || (this.#source[at] === "_" && isOne(at + 1))) at += 1;
    return at;
  }

  #string(quote: string): void {
    let end = this.#at + 1;
    while (end < this.#source.length && this.#source[end] !== quote)
      end += this.#source[end] === "\\" ? 2 : 1;
    if (end >= this.#source.length) throw new TemplateError(`a string has no end`, this.#line);
    this.#push("string", readStringLiteral(this.#source.slice(this.#at + 1, end), this.#line));
    this.#advance(end + 1);
  }

  #name(): boolean {
    NAME.lastIndex = this.#at;
    const name = NAME.exec(this.#source)?.[0];
    if (name === undefined) return false;
    if (!/^[\p{XIDS}_]/u.test(name)) throw new TemplateError(`${name} is no name`, this.#line);
    this.#push("name", name);
    this.#advance(this.#at + name.length);
    return true;
  }

  #operator(): void {
    const two = this.#source.slice(this.#at, this.#at + 2);
    const operator = OPERATORS_OF_TWO.has(two) ? two : this.#source.charAt(this.#at);
    if (!OPERATORS_OF_TWO.has(operator) && !OPERATORS_OF_ONE.has(operator)) {
      throw new TemplateError(`unexpected character ${JSON.stringify(operator)}`, this.#line);
    }
    const closing = CLOSING[operator];
    if (closing !== undefined) this.#open.push(closing);
    else if ("})]".includes(operator) && this.#open.pop() !== operator) {
      throw new TemplateError(`unexpected '${operator}'`, this.#line);
    }
    this.#push("operator", operator);
    this.#advance(this.#at + operator.length);
  }
}

const DIGITS = "0123456789";
const NAME = /(?:(?![\u200C\u200D])[\w\p{XIDC}])+/uy;

function isDigit(character: string): boolean {
  return character !== "" && DIGITS.includes(character);
}
