import { FILTERS } from "../library/filters.js";
import { lengthOf } from "../library/filters-of-lists.js";
import { TESTS } from "../library/tests.js";
import { itemOf, memberOf, sliceOf } from "../operations/members.js";
import { calculate, compare, contains, isEqual, isTrue } from "../operations/operators.js";
import { textOf } from "../printing/print-value.js";
import type { ArgumentList, Comparison, Expression } from "../syntax/syntax.js";
import { iterate } from "../values/iterate.js";
import type { Run } from "../values/run.js";
import { TemplateError, unsupported } from "../values/template-error.js";
import { isText, plain } from "../values/text.js";
import {
  type CallArguments,
  Callable,
  Dict,
  Float,
  Loop,
  NONE,
  numberOf,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "../values/values.js";
import type { Scope } from "./scope.js";

/** Evaluates an expression. @throws TemplateError, with the line of the part that fails. */
export function evaluate(node: Expression, scope: Scope, run: Run): Value {
  run.budget.spend(1, NAMES_FOR_MESSAGES[node.kind] ?? node.kind);
  try {
    return compute(node, scope, run);
  } catch (error) {
    if (error instanceof TemplateError) error.line ??= node.line;
    throw error;
  }
}

const NAMES_FOR_MESSAGES: Readonly<Record<string, string>> = {
  constant: "the template",
  name: "the template",
  print: "the template",
};

function compute(node: Expression, scope: Scope, run: Run): Value {
  switch (node.kind) {
    case "constant":
      return node.value ?? NONE;
    case "float":
      return new Float(node.value);
    case "name":
      return scope.get(node.name) ?? unknownName(node.name);
    case "list":
      run.budget.allocate(64 + 8 * node.items.length, "a list");
      return node.items.map((item) => evaluate(item, scope, run));
    case "tuple":
      run.budget.allocate(96 + 8 * node.items.length, "a tuple");
      return new Tuple(node.items.map((item) => evaluate(item, scope, run)));
    case "dict":
      run.budget.allocate(128 + 96 * node.entries.length, "a dictionary");
      return new Dict(
        node.entries.map(([key, value]): [Value, Value] => [
          evaluate(key, scope, run),
          evaluate(value, scope, run),
        ]),
      );
    case "attribute":
      return memberOf(evaluate(node.of, scope, run), node.name, run);
    case "item":
      return itemOf(evaluate(node.of, scope, run), evaluate(node.key, scope, run), run);
    case "slice":
      return sliceOf(
        evaluate(node.of, scope, run),
        node.bounds.map((bound) => (bound === undefined ? undefined : evaluate(bound, scope, run))),
        run,
      );
    case "call":
      return callValue(evaluate(node.callee, scope, run), argumentsOf(node.args, scope, run));
    case "filter":
      if (node.of === undefined) throw new TemplateError("a filter has nothing before it");
      return applyFilter(node.name, evaluate(node.of, scope, run), argumentsOf(node.args, scope, run), run);
    case "test":
      return applyTest(node.name, evaluate(node.of, scope, run), argumentsOf(node.args, scope, run), run);
    case "not":
      return !isTrue(evaluate(node.of, scope, run));
    case "sign":
      return signed(node.sign, evaluate(node.of, scope, run));
    case "binary":
      return calculate(node.operator, evaluate(node.left, scope, run), evaluate(node.right, scope, run), run);
    case "and": {
      const left = evaluate(node.left, scope, run);
      return isTrue(left) ? evaluate(node.right, scope, run) : left;
    }
    case "or": {
      const left = evaluate(node.left, scope, run);
      return isTrue(left) ? left : evaluate(node.right, scope, run);
    }
    case "concat":
      return run.join(
        node.parts.map((part) => textOf(evaluate(part, scope, run), run)),
        "~",
      );
    case "compare":
      return compareAll(evaluate(node.first, scope, run), node.rest, scope, run);
    case "condition":
      if (isTrue(evaluate(node.test, scope, run))) return evaluate(node.then, scope, run);
      return node.otherwise === undefined
        ? new Undefined("an inline if was false and has no else")
        : evaluate(node.otherwise, scope, run);
  }
}

function unknownName(name: string): Undefined {
  // The only name that jinja2 itself defines and nobody needs.
  if (name === "self") throw unsupported("'self'");
  return new Undefined(`'${name}' is undefined`);
}

function signed(sign: "+" | "-", value: Value): Value {
  const number = numberOf(value);
  if (number === undefined) {
    throw new TemplateError(
      value instanceof Undefined ? value.message : `'${sign}' needs a number, got a ${typeName(value)}`,
    );
  }
  const result = sign === "-" ? -number : number;
  return value instanceof Float ? new Float(result) : result + 0;
}

function compareAll(first: Value, rest: readonly Comparison[], scope: Scope, run: Run): boolean {
  let left = first;
  for (const { operator, right: node } of rest) {
    const right = evaluate(node, scope, run);
    if (!holds(operator, left, right, run)) return false;
    left = right;
  }
  return true;
}

function holds(operator: string, left: Value, right: Value, run: Run): boolean {
  switch (operator) {
    case "==":
      return isEqual(left, right, run);
    case "!=":
      return !isEqual(left, right, run);
    case "in":
      return contains(right, left, run);
    case "not in":
      return !contains(right, left, run);
    case "<":
      return compare(left, right, operator, run) < 0;
    case "<=":
      return compare(left, right, operator, run) <= 0;
    case ">":
      return compare(left, right, operator, run) > 0;
    default:
      return compare(left, right, operator, run) >= 0;
  }
}

/** The values of the arguments of a call. */
export function argumentsOf(list: ArgumentList, scope: Scope, run: Run): CallArguments {
  const positional = list.positional.map((argument) => evaluate(argument, scope, run));
  const keywords = new Map<string, Value>();
  for (const [name, value] of list.keywords) keywords.set(name, evaluate(value, scope, run));
  if (list.spread !== undefined) {
    const spread = evaluate(list.spread, scope, run);
    run.budget.allocate(lengthIfKnown(spread, run) * 8, "*");
    for (const item of iterate(spread, run.budget, "*")) positional.push(item);
  }
  if (list.keywordSpread !== undefined) {
    const spread = evaluate(list.keywordSpread, scope, run);
    if (!(spread instanceof Dict))
      throw new TemplateError(`'**' needs a dictionary, got a ${typeName(spread)}`);
    run.budget.allocate(64 * spread.size, "**");
    for (const [key, value] of spread.entries()) {
      if (!isText(key) || keywords.has(plain(key)))
        throw new TemplateError("'**' needs names, each of them once");
      keywords.set(plain(key), value);
    }
  }
  return { positional, keywords };
}

function lengthIfKnown(value: Value, run: Run): number {
  return value instanceof Undefined || isText(value) || value instanceof Tuple || Array.isArray(value)
    ? lengthOf(value, run)
    : 0;
}

/** Calls a value. @throws TemplateError when it is no function. */
export function callValue(callee: Value, given: CallArguments): Value {
  if (callee instanceof Callable) return callee.call(given);
  if (callee instanceof Loop) return callee.recurse(given);
  throw new TemplateError(
    callee instanceof Undefined ? callee.message : `a ${typeName(callee)} cannot be called`,
  );
}

export function applyFilter(name: string, value: Value, given: CallArguments, run: Run): Value {
  const filter = FILTERS.get(name);
  if (filter === undefined) throw new TemplateError(`there is no filter '${name}'`);
  return filter(value, given, run);
}

export function applyTest(name: string, value: Value, given: CallArguments, run: Run): boolean {
  const test = TESTS.get(name);
  if (test === undefined) throw new TemplateError(`there is no test '${name}'`);
  return test(value, given, run);
}
