import { TemplateError } from "../values/template-error.js";
import { KNOWN_FILTERS, KNOWN_TESTS } from "./known-names.js";
import type { ArgumentList, Expression } from "./syntax.js";
import type { TokenStream } from "./token-stream.js";

export const MAX_DEPTH = 200;
const NO_ARGUMENTS: ArgumentList = {
  positional: [],
  keywords: [],
  spread: undefined,
  keywordSpread: undefined,
};

/** Says how a comma-separated expression is read. */
export interface TupleOptions {
  /** The names that end it, e.g. `in`. */
  readonly endsAt?: readonly string[];
  /** Says whether `a if b else c` may stand in it. @defaultValue true */
  readonly hasConditions?: boolean;
  /** Says whether brackets stand around it, so that nothing between them is an empty tuple. */
  readonly isInBrackets?: boolean;
}

/** Parses expressions as jinja2's parser does, from the loosest binding to the tightest. */
/** Parses what operators stand between: names, literals, members, calls, filters and tests. */
export abstract class OperandParser {
  readonly stream: TokenStream;
  #depth = 0;
  /** More than 0 within `if`, where jinja2 looks for unknown filters only when it comes to them. */
  protected softness = 0;
  /** The filters and tests that are not known; where a condition stands behind them, they are no errors yet. */
  protected readonly unknown: TemplateError[] = [];
  /** Names those of `caller`, `kwargs` and `varargs` the macro read now asks for: it takes further arguments only if it does. */
  protected specials = new Set<string>();

  constructor(stream: TokenStream) {
    this.stream = stream;
  }

  /** Does work one level deeper. @throws TemplateError when that is deeper than any template is. */
  protected nested<T>(work: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      throw new TemplateError(
        `a template may be ${MAX_DEPTH} levels deep, and this one is deeper`,
        this.stream.line,
      );
    }
    const result = work();
    this.#depth -= 1;
    return result;
  }

  abstract tuple(options?: TupleOptions): Expression;

  abstract expression(hasConditions?: boolean): Expression;

  #noteUnknown(message: string, line: number): void {
    if (this.softness === 0) this.unknown.push(new TemplateError(message, line));
  }
  primary(): Expression {
    const { line } = this.stream;
    const { type, value } = this.stream.current;
    switch (type) {
      case "name":
        this.stream.next();
        if (SPECIAL_NAMES.has(value)) this.specials.add(value);
        return nameOrConstant(value, line);
      case "string": {
        const parts: string[] = [];
        while (this.stream.current.type === "string") parts.push(this.stream.next().value);
        return { kind: "constant", value: parts.join(""), line };
      }
      case "integer": {
        const number = Number(this.stream.next().value);
        if (!Number.isSafeInteger(number))
          throw new TemplateError("a number beyond 2^53 is not supported here", line);
        return { kind: "constant", value: number, line };
      }
      case "float":
        return { kind: "float", value: Number(this.stream.next().value), line };
    }
    if (this.stream.skipOperator("(")) {
      const inner = this.nested(() => this.tuple({ isInBrackets: true }));
      this.stream.expectOperator(")");
      return inner;
    }
    if (this.stream.isOperator("[")) return this.#list();
    if (this.stream.isOperator("{")) return this.#dict();
    throw this.stream.unexpected("an expression");
  }

  #list(): Expression {
    const { line } = this.stream.next();
    const items: Expression[] = [];
    while (!this.stream.isOperator("]")) {
      if (items.length > 0) this.stream.expectOperator(",");
      if (!this.stream.isOperator("]")) items.push(this.expression());
    }
    this.stream.next();
    return { kind: "list", items, line };
  }

  #dict(): Expression {
    const { line } = this.stream.next();
    const entries: [Expression, Expression][] = [];
    while (!this.stream.isOperator("}")) {
      if (entries.length > 0) this.stream.expectOperator(",");
      if (this.stream.isOperator("}")) break;
      const key = this.expression();
      this.stream.expectOperator(":");
      entries.push([key, this.expression()]);
    }
    this.stream.next();
    return { kind: "dict", entries, line };
  }

  postfix(start: Expression): Expression {
    let node = start;
    for (let levels = 0; ; levels += 1) {
      if (levels > MAX_DEPTH) throw new TemplateError("an expression has too many members", this.stream.line);
      if (this.stream.isOperator(".", "[")) node = this.#member(node);
      else if (this.stream.isOperator("(")) node = this.call(node);
      else return node;
    }
  }

  protected filtersAndTests(start: Expression): Expression {
    let node = start;
    for (let levels = 0; ; levels += 1) {
      if (levels > MAX_DEPTH) throw new TemplateError("an expression has too many filters", this.stream.line);
      if (this.stream.isOperator("|")) node = this.filter(node);
      else if (this.stream.isName("is")) node = this.#test(node);
      else if (this.stream.isOperator("(")) node = this.call(node);
      else return node;
    }
  }

  #member(of: Expression): Expression {
    const { line } = this.stream;
    if (this.stream.skipOperator(".")) {
      const { type, value } = this.stream.next();
      if (type === "name") return { kind: "attribute", of, name: value, line };
      if (type !== "integer") throw new TemplateError("expected a name or number behind '.'", line);
      return { kind: "item", of, key: { kind: "constant", value: Number(value), line }, line };
    }
    this.stream.expectOperator("[");
    const subscript = this.#subscript(of, line);
    if (this.stream.isOperator(","))
      throw new TemplateError("several subscripts are not supported here", line);
    this.stream.expectOperator("]");
    return subscript;
  }

  #subscript(of: Expression, line: number): Expression {
    const isEnd = () => this.stream.isOperator(":", "]", ",");
    const first = isEnd() ? undefined : this.expression();
    if (!this.stream.isOperator(":")) {
      if (first === undefined) throw this.stream.unexpected("a subscript");
      return { kind: "item", of, key: first, line };
    }
    const bounds: (Expression | undefined)[] = [first];
    while (bounds.length < 3 && this.stream.skipOperator(":"))
      bounds.push(isEnd() ? undefined : this.expression());
    return { kind: "slice", of, bounds, line };
  }

  call(callee: Expression): Expression {
    const { line } = this.stream;
    return { kind: "call", callee, args: this.#arguments(), line };
  }

  #arguments(): ArgumentList {
    const { line } = this.stream;
    this.stream.expectOperator("(");
    const positional: Expression[] = [];
    const keywords: [string, Expression][] = [];
    let spread: Expression | undefined;
    let keywordSpread: Expression | undefined;
    const ensure = (isAllowed: boolean) => {
      if (!isAllowed) throw new TemplateError("the arguments of a call stand in the wrong order", line);
    };
    for (let isFirst = true; !this.stream.isOperator(")"); isFirst = false) {
      if (!isFirst) {
        this.stream.expectOperator(",");
        if (this.stream.isOperator(")")) break;
      }
      if (this.stream.skipOperator("*")) {
        ensure(spread === undefined && keywordSpread === undefined);
        spread = this.expression();
      } else if (this.stream.skipOperator("**")) {
        ensure(keywordSpread === undefined);
        keywordSpread = this.expression();
      } else if (this.stream.current.type === "name" && isOperator(this.stream.following, "=")) {
        ensure(keywordSpread === undefined);
        const name = this.stream.next().value;
        ensure(!keywords.some(([known]) => known === name));
        this.stream.next();
        keywords.push([name, this.expression()]);
      } else {
        ensure(spread === undefined && keywordSpread === undefined && keywords.length === 0);
        positional.push(this.expression());
      }
    }
    this.stream.expectOperator(")");
    return { positional, keywords, spread, keywordSpread };
  }

  /** A filter behind `|`. */
  filter(of: Expression | undefined): Expression {
    this.stream.expectOperator("|");
    return this.filterName(of);
  }

  /** A filter from its name on. */
  protected filterName(of: Expression | undefined): Expression {
    const { line } = this.stream;
    const name = this.#dotted();
    if (!KNOWN_FILTERS.has(name)) this.#noteUnknown(`there is no filter '${name}'`, line);
    const args = this.stream.isOperator("(") ? this.#arguments() : NO_ARGUMENTS;
    return { kind: "filter", of, name, args, line };
  }

  #test(of: Expression): Expression {
    const { line } = this.stream.next();
    const isNegated = this.stream.skipName("not");
    const name = this.#dotted();
    if (!KNOWN_TESTS.has(name)) this.#noteUnknown(`there is no test '${name}'`, line);
    const test: Expression = { kind: "test", of, name, args: this.#testArguments(), line };
    return isNegated ? { kind: "not", of: test, line } : test;
  }

  #testArguments(): ArgumentList {
    if (this.stream.isOperator("(")) return this.#arguments();
    const { type } = this.stream.current;
    const beginsArgument =
      type === "name" ||
      type === "string" ||
      type === "integer" ||
      type === "float" ||
      this.stream.isOperator("[", "{");
    if (!beginsArgument || this.stream.isName("else", "or", "and")) return NO_ARGUMENTS;
    if (this.stream.isName("is"))
      throw new TemplateError("tests with 'is' cannot be chained", this.stream.line);
    return { ...NO_ARGUMENTS, positional: [this.postfix(this.primary())] };
  }

  #dotted(): string {
    let name = this.stream.expectName();
    while (this.stream.skipOperator(".")) name += `.${this.stream.expectName()}`;
    return name;
  }
}
const SPECIAL_NAMES: ReadonlySet<string> = new Set(["caller", "kwargs", "varargs"]);

const CONSTANTS: ReadonlyMap<string, null | boolean> = new Map<string, null | boolean>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);

function nameOrConstant(name: string, line: number): Expression {
  const value = CONSTANTS.get(name);
  return value === undefined ? { kind: "name", name, line } : { kind: "constant", value, line };
}

function isOperator(token: { readonly type: string; readonly value: string }, operator: string): boolean {
  return token.type === "operator" && token.value === operator;
}
