import { KNOWN_FILTERS, KNOWN_TESTS } from "./known-names.js";
import type { ArgumentList, Comparison, Expression } from "./syntax.js";
import { TemplateError } from "./template-error.js";
import type { TokenStream } from "./token-stream.js";

const MAX_DEPTH = 200;
const COMPARISONS = ["==", "!=", "<", "<=", ">", ">="];
const NO_ARGUMENTS: ArgumentList = {
  positional: [],
  keywords: [],
  spread: undefined,
  keywordSpread: undefined,
};

/** How a comma-separated expression is read. */
export interface TupleOptions {
  /** The names that end it, e.g. `in`. */
  readonly endsAt?: readonly string[];
  /** Whether `a if b else c` may stand in it. @defaultValue true */
  readonly hasConditions?: boolean;
  /** Whether brackets stand around it, so that nothing between them is an empty tuple. */
  readonly isInBrackets?: boolean;
}

/** Parses expressions as jinja2's parser does, from the loosest binding to the tightest. */
export class ExpressionParser {
  readonly stream: TokenStream;
  #depth = 0;
  /** More than 0 within `if`, where jinja2 looks for unknown filters only when it comes to them. */
  protected softness = 0;
  /** The filters and tests that are not known; where a condition stands behind them, they are no errors yet. */
  protected readonly unknown: TemplateError[] = [];
  /** Which of `caller`, `kwargs` and `varargs` the macro read now asks for: it takes further arguments only if it does. */
  protected specials = new Set<string>();

  constructor(stream: TokenStream) {
    this.stream = stream;
  }

  /** Does work one level deeper. @throws TemplateError when that is deeper than any template is. */
  protected nested<T>(work: () => T): T {
    if (++this.#depth > MAX_DEPTH) {
      throw new TemplateError(
        `a template may be ${MAX_DEPTH} levels deep, and this one is deeper`,
        this.stream.line,
      );
    }
    const result = work();
    this.#depth--;
    return result;
  }

  tuple({ endsAt = [], hasConditions = true, isInBrackets = false }: TupleOptions = {}): Expression {
    const { line } = this.stream;
    const items: Expression[] = [];
    let isTuple = false;
    while (!this.#isTupleEnd(endsAt)) {
      items.push(this.expression(hasConditions));
      if (!this.stream.isOperator(",")) break;
      isTuple = true;
      this.stream.next();
    }
    const [first] = items;
    if (!isTuple && first !== undefined) return first;
    if (!isTuple && !isInBrackets) throw this.stream.unexpected("an expression");
    return { kind: "tuple", items, line };
  }

  #isTupleEnd(endsAt: readonly string[]): boolean {
    const { type } = this.stream.current;
    return (
      type === "variable_end" ||
      type === "block_end" ||
      this.stream.isOperator(")") ||
      this.stream.isName(...endsAt)
    );
  }

  expression(hasConditions = true): Expression {
    return this.nested(() => (hasConditions ? this.#condition() : this.#or()));
  }

  #condition(): Expression {
    let { line } = this.stream;
    const unknownBefore = this.unknown.length;
    let then = this.#or();
    while (this.stream.skipName("if")) {
      this.unknown.length = unknownBefore;
      const test = this.#softly(() => this.#or());
      const otherwise = this.stream.skipName("else")
        ? this.nested(() => this.#softly(() => this.#condition()))
        : undefined;
      then = { kind: "condition", test, then, otherwise, line };
      line = this.stream.line;
    }
    return then;
  }

  #softly<T>(work: () => T): T {
    this.softness++;
    const result = work();
    this.softness--;
    return result;
  }

  #noteUnknown(message: string, line: number): void {
    if (this.softness === 0) this.unknown.push(new TemplateError(message, line));
  }

  #or(): Expression {
    return this.#leftToRight(
      () => this.#and(),
      () => this.stream.skipName("or") && "or",
      (_operator, left, right, line) => ({ kind: "or", left, right, line }),
    );
  }

  #and(): Expression {
    return this.#leftToRight(
      () => this.#not(),
      () => this.stream.skipName("and") && "and",
      (_operator, left, right, line) => ({ kind: "and", left, right, line }),
    );
  }

  /** Operators of one strength, of which the left one binds first. */
  #leftToRight(
    operand: () => Expression,
    operator: () => string | false,
    combine: (operator: string, left: Expression, right: Expression, line: number) => Expression,
  ): Expression {
    const { line } = this.stream;
    let left = operand();
    for (let levels = 0; ; levels++) {
      const found = operator();
      if (found === false) return left;
      if (levels > MAX_DEPTH * 10)
        throw new TemplateError(`'${found}' stands too often in one expression`, line);
      left = combine(found, left, operand(), line);
    }
  }

  #not(): Expression {
    const { line } = this.stream;
    if (!this.stream.skipName("not")) return this.#compare();
    return { kind: "not", of: this.nested(() => this.#not()), line };
  }

  #compare(): Expression {
    const { line } = this.stream;
    const first = this.#sum();
    const rest: Comparison[] = [];
    for (;;) {
      if (this.stream.isOperator(...COMPARISONS))
        rest.push({ operator: this.stream.next().value, right: this.#sum() });
      else if (this.stream.skipName("in")) rest.push({ operator: "in", right: this.#sum() });
      else if (this.stream.isName("not") && isNamed(this.stream.following, "in")) {
        this.stream.next();
        this.stream.next();
        rest.push({ operator: "not in", right: this.#sum() });
      } else return rest.length === 0 ? first : { kind: "compare", first, rest, line };
    }
  }

  #binary(operand: () => Expression, operators: readonly string[]): Expression {
    return this.#leftToRight(
      operand,
      () => this.stream.isOperator(...operators) && this.stream.next().value,
      (operator, left, right, line) => ({ kind: "binary", operator, left, right, line }),
    );
  }

  #sum(): Expression {
    return this.#binary(() => this.#concat(), ["+", "-"]);
  }

  #concat(): Expression {
    const { line } = this.stream;
    const first = this.#product();
    const parts = [first];
    while (this.stream.skipOperator("~")) parts.push(this.#product());
    return parts.length === 1 ? first : { kind: "concat", parts, line };
  }

  #product(): Expression {
    return this.#binary(() => this.#power(), ["*", "/", "//", "%"]);
  }

  #power(): Expression {
    return this.#binary(() => this.#unary(true), ["**"]);
  }

  #unary(hasFilters: boolean): Expression {
    const { line } = this.stream;
    const sign = this.stream.skipOperator("-") ? "-" : this.stream.skipOperator("+") ? "+" : undefined;
    const operand: Expression =
      sign === undefined
        ? this.primary()
        : { kind: "sign", sign, of: this.nested(() => this.#unary(false)), line };
    const whole = this.postfix(operand);
    return hasFilters ? this.#filtersAndTests(whole) : whole;
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
    for (let levels = 0; ; levels++) {
      if (levels > MAX_DEPTH) throw new TemplateError("an expression has too many members", this.stream.line);
      if (this.stream.isOperator(".", "[")) node = this.#member(node);
      else if (this.stream.isOperator("(")) node = this.call(node);
      else return node;
    }
  }

  #filtersAndTests(start: Expression): Expression {
    let node = start;
    for (let levels = 0; ; levels++) {
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

function isNamed(token: { readonly type: string; readonly value: string }, name: string): boolean {
  return token.type === "name" && token.value === name;
}

function isOperator(token: { readonly type: string; readonly value: string }, operator: string): boolean {
  return token.type === "operator" && token.value === operator;
}
