import { TemplateError } from "../values/template-error.js";
import type { TemplateToken } from "./tokenize-template.js";

/** The tokens of a template, one after the other. */
export class TokenStream {
  readonly #tokens: readonly TemplateToken[];
  #at = 0;

  /** @param tokens - the last one is of the type `eof` */
  constructor(tokens: readonly TemplateToken[]) {
    this.#tokens = tokens;
  }

  get current(): TemplateToken {
    return this.#tokens[this.#at] ?? END;
  }

  get following(): TemplateToken {
    return this.#tokens[this.#at + 1] ?? END;
  }

  get line(): number {
    return this.current.line;
  }

  next(): TemplateToken {
    const token = this.current;
    this.#at += 1;
    return token;
  }

  isOperator(...operators: readonly string[]): boolean {
    return this.current.type === "operator" && operators.includes(this.current.value);
  }

  isName(...names: readonly string[]): boolean {
    return this.current.type === "name" && names.includes(this.current.value);
  }

  /** Goes on behind an operator, if it is there. */
  skipOperator(operator: string): boolean {
    const isThere = this.isOperator(operator);
    if (isThere) this.#at += 1;
    return isThere;
  }

  skipName(name: string): boolean {
    const isThere = this.isName(name);
    if (isThere) this.#at += 1;
    return isThere;
  }

  expectOperator(operator: string): void {
    if (!this.skipOperator(operator)) throw this.unexpected(`'${operator}'`);
  }

  expectName(name?: string): string {
    if (this.current.type !== "name" || (name !== undefined && this.current.value !== name)) {
      throw this.unexpected(name === undefined ? "a name" : `'${name}'`);
    }
    return this.next().value;
  }

  expect(type: TemplateToken["type"]): void {
    if (this.current.type !== type) throw this.unexpected(NAMES[type] ?? type);
    this.#at += 1;
  }

  unexpected(wanted: string): TemplateError {
    const { type, value, line } = this.current;
    const got = type === "eof" ? "the end of the template" : JSON.stringify(value.slice(0, 40));
    return new TemplateError(`expected ${wanted}, got ${got}`, line);
  }
}

const END: TemplateToken = { type: "eof", value: "", line: 0 };
const NAMES: Readonly<Record<string, string>> = { block_end: "'%}'", variable_end: "'}}'" };
