import { TemplateError } from "../values/template-error.js";
import { MAX_DEPTH, OperandParser, type TupleOptions } from "./parse-operand.js";
import type { Comparison, Expression } from "./syntax.js";

const COMPARISONS = ["==", "!=", "<", "<=", ">", ">="];

/** Parses expressions as jinja2's parser does, from the loosest binding to the tightest. */
export class ExpressionParser extends OperandParser {
  override tuple({ endsAt = [], hasConditions = true, isInBrackets = false }: TupleOptions = {}): Expression {
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

  override expression(hasConditions = true): Expression {
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
    this.softness += 1;
    const result = work();
    this.softness -= 1;
    return result;
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
    for (let levels = 0; ; levels += 1) {
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
    return hasFilters ? this.filtersAndTests(whole) : whole;
  }
}

function isNamed(token: { readonly type: string; readonly value: string }, name: string): boolean {
  return token.type === "name" && token.value === name;
}
