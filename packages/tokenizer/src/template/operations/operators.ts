import { formatByPercent } from "../printing/format-by-percent.js";
import { isIterable, iterate, listOf } from "../values/iterate.js";
import { compareTexts } from "../values/python-text.js";
import type { Run } from "../values/run.js";
import { TemplateError, unsupported } from "../values/template-error.js";
import { concatTexts, isText, mapText, plain, type TextValue } from "../values/text.js";
import {
  BigWhole,
  Dict,
  DictView,
  Float,
  isHashable,
  isInteger,
  isList,
  Markup,
  NONE,
  numberOf,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "../values/values.js";
import { calculateNumbers } from "./arithmetic.js";

/** Says whether a value counts as true. */
export function isTrue(value: Value): boolean {
  if (value === NONE || value instanceof Undefined) return false;
  if (isText(value)) return plain(value) !== "";
  if (value instanceof BigWhole) return true;
  const number = numberOf(value);
  if (number !== undefined) return number !== 0;
  if (isList(value)) return value.length > 0;
  if (value instanceof Tuple || value instanceof DictView) return value.items.length > 0;
  if (value instanceof Dict) return value.size > 0;
  if (value instanceof Range) return value.length > 0;
  return value instanceof Markup ? plain(value.text) !== "" : true;
}

/** Says whether two values are equal to Python, where 1, 1.0 and True are. */
export function isEqual(left: Value, right: Value, run: Run): boolean {
  run.budget.spend(1, "==");
  if (isText(left) || isText(right)) return isText(left) && isText(right) && plain(left) === plain(right);
  if (left instanceof BigWhole || right instanceof BigWhole) return isSameWhole(left, right);
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined || b !== undefined) return a === b;
  if (isList(left) && isList(right)) return areEqual(left, right, run);
  if (left instanceof Tuple && right instanceof Tuple) return areEqual(left.items, right.items, run);
  if (left instanceof Undefined && right instanceof Undefined) return true;
  if (left instanceof Dict && right instanceof Dict) {
    if (left.size !== right.size) return false;
    for (const [key, value] of left.entriesInAnyOrder()) {
      const other = right.get(key);
      if (other === undefined || !isEqual(value, other, run)) return false;
    }
    return true;
  }
  if (left instanceof Markup || right instanceof Markup) throw unsupported("comparing what 'safe' made");
  if (left instanceof Range && right instanceof Range) return areRangesEqual(left, right);
  if (left instanceof DictView && right instanceof DictView)
    throw unsupported(`comparing a ${typeName(left)} with another`);
  return left === right;
}

/** Says whether two values, one of them beyond 2^53, are equal; numbers that are no floats and smaller are not. */
function isSameWhole(left: Value, right: Value): boolean {
  if (left instanceof Float || right instanceof Float)
    throw unsupported("comparing a number beyond 2^53 with a float");
  return left instanceof BigWhole && right instanceof BigWhole && left.value === right.value;
}

/** Says whether two ranges have the same numbers. */
function areRangesEqual(left: Range, right: Range): boolean {
  const { length } = left;
  if (length !== right.length) return false;
  return length === 0 || (left.start === right.start && (length === 1 || left.step === right.step));
}

function areEqual(left: readonly Value[], right: readonly Value[], run: Run): boolean {
  return (
    left.length === right.length && left.every((value, index) => isEqual(value, right[index] ?? NONE, run))
  );
}

/** Less than zero, zero or more, as the left value is less than the right one, equal or more; NaN is none of them. */
export function compare(left: Value, right: Value, operator: string, run: Run): number {
  if (isText(left) && isText(right)) {
    run.budget.spend(1 + Math.min(plain(left).length, plain(right).length) / 4, operator);
    return compareTexts(plain(left), plain(right));
  }
  run.budget.spend(1, operator);
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) return a === b ? 0 : a < b ? -1 : a > b ? 1 : Number.NaN;
  const [items, others] = [itemsToCompare(left), itemsToCompare(right)];
  if (items !== undefined && others !== undefined && isList(left) === isList(right)) {
    for (const [index, item] of items.entries()) {
      const other = others[index];
      if (other === undefined) return 1;
      if (!isEqual(item, other, run)) return compare(item, other, operator, run);
    }
    return items.length - others.length;
  }
  throw operandError(operator, left, right);
}

function itemsToCompare(value: Value): readonly Value[] | undefined {
  if (isList(value)) return value;
  return value instanceof Tuple ? value.items : undefined;
}

function operandError(operator: string, left: Value, right: Value): TemplateError {
  for (const side of [left, right]) if (side instanceof Undefined) return new TemplateError(side.message);
  return new TemplateError(
    `'${operator}' does not work between a ${typeName(left)} and a ${typeName(right)}${adviceFor(left, right)}`,
  );
}

function adviceFor(left: Value, right: Value): string {
  return isText(left) && isList(right)
    ? "; it wants text where a message has a list of parts: pass the content as one string"
    : isText(left) && right instanceof Dict
      ? "; pass tool call arguments as the template wants them: as JSON text, or as an object"
      : "";
}

/** `left in right`. */
export function contains(right: Value, left: Value, run: Run): boolean {
  if (isText(right)) {
    if (!isText(left)) throw operandError("in", left, right);
    run.budget.scan(plain(right), "in");
    return plain(right).includes(plain(left));
  }
  if (right instanceof Dict) {
    if (!isHashable(left)) throw new TemplateError(`a ${typeName(left)} is no key of a dictionary`);
    return right.get(left) !== undefined;
  }
  if (!isIterable(right)) throw operandError("in", left, right);
  for (const item of iterate(right, run.budget, "in")) if (isEqual(item, left, run)) return true;
  return false;
}

/** Calculates with two values. */
export function calculate(operator: string, left: Value, right: Value, run: Run): Value {
  if (operator === "%" && isText(left)) return formatByPercent(left, right, run);
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) return calculateNumbers(operator, left, right);
  if (operator === "+") return add(left, right, run);
  if (operator === "*") {
    if (isInteger(right) && b !== undefined && isRepeatable(left)) return repeat(left, b, run);
    if (isInteger(left) && a !== undefined && isRepeatable(right)) return repeat(right, a, run);
  }
  if (left instanceof Markup || right instanceof Markup)
    throw unsupported(`'${operator}' with what 'safe' made`);
  throw operandError(operator, left, right);
}

function add(left: Value, right: Value, run: Run): Value {
  if (isText(left) && isText(right)) return joinTexts([left, right], "+", run);
  if (isList(left) && isList(right)) {
    run.budget.allocate(48 + 8 * (left.length + right.length), "+");
    return [...left, ...right];
  }
  if (left instanceof Tuple && right instanceof Tuple) {
    run.budget.allocate(48 + 8 * (left.items.length + right.items.length), "+");
    return new Tuple([...left.items, ...right.items]);
  }
  if (left instanceof Markup || right instanceof Markup) return addMarkup(left, right, run);
  throw operandError("+", left, right);
}

/** Escapes what is added to HTML: so Python's `Markup` does it, in chat templates too. */
function addMarkup(left: Value, right: Value, run: Run): Value {
  const parts = [left, right].map((side) => {
    if (side instanceof Markup) return side.text;
    if (!isText(side)) throw operandError("+", left, right);
    return escapeHtml(side, run);
  });
  return new Markup(joinTexts(parts, "+", run));
}

const HTML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;",
};

/** A text with the signs of HTML written as entities. */
export function escapeHtml(text: TextValue, run: Run): TextValue {
  run.budget.allocate(48 + 10 * plain(text).length, "escape");
  return mapText(text, (piece) => piece.replace(/[&<>'"]/g, (character) => HTML[character] ?? character));
}

/** Texts in a row, counted. */
export function joinTexts(parts: readonly TextValue[], construct: string, run: Run): TextValue {
  let length = 0;
  let longest = 0;
  for (const part of parts) {
    length += plain(part).length;
    longest = Math.max(longest, plain(part).length);
  }
  // Of two texts the longer one is not copied until it is looked through, which is counted then.
  run.budget.allocate(64 + 8 * parts.length + 2 * (parts.length > 2 ? length : length - longest), construct);
  run.budget.spend(1 + parts.length, construct);
  run.budget.allocate(length > MAX_TEXT_LENGTH ? Number.POSITIVE_INFINITY : 0, construct);
  return concatTexts(parts);
}

const MAX_TEXT_LENGTH = 2 ** 28;

type Repeatable = TextValue | readonly Value[] | Tuple;

function isRepeatable(value: Value): value is Repeatable {
  return isText(value) || isList(value) || value instanceof Tuple;
}

function repeat(value: Repeatable, times: number, run: Run): Value {
  const count = Math.max(0, times);
  if (isText(value)) {
    const marks = typeof value === "string" ? 0 : value.spans.length;
    run.budget.allocate(48 + count * (2 * plain(value).length + 16 * marks), "*");
    run.budget.spend(typeof value === "string" ? 1 : count, "*");
    return typeof value === "string"
      ? value.repeat(count)
      : concatTexts(Array.from({ length: count }, () => value));
  }
  const items = value instanceof Tuple ? value.items : value;
  run.budget.allocate(48 + 8 * count * items.length, "*");
  const repeated = items.length === 0 ? [] : Array.from({ length: count }, () => items).flat();
  return value instanceof Tuple ? new Tuple(repeated) : repeated;
}

/** A sorted list, by keys that compare; equal ones keep their order. */
export function sortBy(value: Value, keyOf: (item: Value) => Value, isReversed: boolean, run: Run): Value[] {
  const items = listOf(value, run.budget, "sort").map((item) => ({ item, key: keyOf(item) }));
  // Reversed, equal ones keep their order too.
  const direction = isReversed ? -1 : 1;
  items.sort((left, right) => direction * (compare(left.key, right.key, "<", run) || 0));
  return items.map(({ item }) => item);
}
