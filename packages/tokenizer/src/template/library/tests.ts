import { isOfCase } from "../operations/letter-case.js";
import { calculate, compare, contains, isEqual } from "../operations/operators.js";
import { textOf } from "../printing/print-value.js";
import { KNOWN_FILTERS, KNOWN_TESTS } from "../syntax/known-names.js";
import { isIterable } from "../values/iterate.js";
import { bind, type Run } from "../values/run.js";
import { TemplateError, unsupported } from "../values/template-error.js";
import { isText, plain } from "../values/text.js";
import {
  BigWhole,
  type CallArguments,
  Callable,
  Dict,
  Float,
  isHashable,
  isList,
  Loop,
  Markup,
  NONE,
  numberOf,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "../values/values.js";

/** A function behind `is`, of the value before it. */
export type TemplateTest = (value: Value, given: CallArguments, run: Run) => boolean;

function plainTest(name: string, test: (value: Value, run: Run) => boolean): readonly [string, TemplateTest] {
  return [
    name,
    (value, given, run) => {
      bind(name, given, []);
      return test(value, run);
    },
  ];
}

function comparison(
  names: readonly string[],
  test: (value: Value, other: Value, run: Run) => boolean,
): (readonly [string, TemplateTest])[] {
  return names.map((name) => [
    name,
    (value, given, run) => {
      const { other = NONE } = bind(name, given, ["other"], 1);
      return test(value, other, run);
    },
  ]);
}

/** Says whether the rest of a division is what is asked for. */
function hasRest(value: Value, divisor: Value, rest: number, run: Run): boolean {
  return numberOf(calculate("%", value, divisor, run)) === rest;
}

/** Says whether two values are one object to Python, which of texts and numbers made anew only Python knows. */
function isSame(value: Value, other: Value): boolean {
  if (typeof value !== typeof other) return false;
  if (isText(value) || typeof value === "number" || value instanceof Float || value instanceof BigWhole)
    throw unsupported("'sameas' of texts and numbers");
  return value === other;
}

/** Says whether a value is one of the names; what is no key of a dictionary is refused, as Python does. */
function isNamed(value: Value, names: ReadonlySet<string>): boolean {
  if (!isHashable(value)) throw new TemplateError(`a ${typeName(value)} is no name`);
  return isText(value) && names.has(plain(value));
}

/** The tests of jinja2 3.1. */
export const TESTS: ReadonlyMap<string, TemplateTest> = new Map<string, TemplateTest>([
  plainTest("defined", (value) => !(value instanceof Undefined)),
  plainTest("undefined", (value) => value instanceof Undefined),
  plainTest("none", (value) => value === NONE),
  plainTest("boolean", (value) => typeof value === "boolean"),
  plainTest("true", (value) => value === true),
  plainTest("false", (value) => value === false),
  plainTest("integer", (value) => typeof value === "number" || value instanceof BigWhole),
  plainTest("float", (value) => value instanceof Float),
  plainTest("number", (value) => value instanceof BigWhole || numberOf(value) !== undefined),
  plainTest("string", (value) => isText(value) || value instanceof Markup),
  plainTest("mapping", (value) => value instanceof Dict),
  plainTest("iterable", (value) => isIterable(value) || value instanceof Markup || value instanceof Loop),
  // Values with a length and items; an undefined value raises nothing, and has both.
  plainTest(
    "sequence",
    (value) =>
      isText(value) ||
      isList(value) ||
      [Tuple, Dict, Range, Markup].some((type) => value instanceof type) ||
      value instanceof Undefined,
  ),
  plainTest(
    "callable",
    (value) => value instanceof Callable || value instanceof Loop || value instanceof Undefined,
  ),
  plainTest("escaped", (value) => value instanceof Markup),
  plainTest("lower", (value, run) => isOfCase(plain(textOf(value, run)), "lower")),
  plainTest("upper", (value, run) => isOfCase(plain(textOf(value, run)), "upper")),
  plainTest("even", (value, run) => hasRest(value, 2, 0, run)),
  plainTest("odd", (value, run) => hasRest(value, 2, 1, run)),
  plainTest("filter", (value) => isNamed(value, KNOWN_FILTERS)),
  plainTest("test", (value) => isNamed(value, KNOWN_TESTS)),
  ...comparison(["divisibleby"], (value, other, run) => hasRest(value, other, 0, run)),
  ...comparison(["sameas"], isSame),
  ...comparison(["in"], (value, other, run) => contains(other, value, run)),
  ...comparison(["eq", "equalto", "=="], (value, other, run) => isEqual(value, other, run)),
  ...comparison(["ne", "!="], (value, other, run) => !isEqual(value, other, run)),
  ...comparison(["lt", "lessthan", "<"], (value, other, run) => compare(value, other, "<", run) < 0),
  ...comparison(["le", "<="], (value, other, run) => compare(value, other, "<=", run) <= 0),
  ...comparison(["gt", "greaterthan", ">"], (value, other, run) => compare(value, other, ">", run) > 0),
  ...comparison(["ge", ">="], (value, other, run) => compare(value, other, ">=", run) >= 0),
]);
