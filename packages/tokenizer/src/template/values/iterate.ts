import { TemplateError } from "./template-error.js";
import { isText, plain, sliceText } from "./text.js";
import { Dict, DictView, isList, Lazy, Range, Tuple, typeName, Undefined, type Value } from "./values.js";
import type { WorkBudget } from "./work-budget.js";

/**
 * The items of a value, each counted as a step.
 * @throws TemplateError when it has none.
 */
export function* iterate(value: Value, budget: WorkBudget, construct: string): Generator<Value, undefined> {
  for (const item of itemsOf(value)) {
    budget.spend(1, construct);
    yield item;
  }
}

/** A list of the items of a value. */
export function listOf(value: Value, budget: WorkBudget, construct: string): Value[] {
  const items: Value[] = [];
  for (const item of iterate(value, budget, construct)) {
    budget.allocate(16, construct);
    items.push(item);
  }
  return items;
}

export function isIterable(value: Value): boolean {
  return (
    isText(value) ||
    isList(value) ||
    [Tuple, Dict, DictView, Range, Lazy, Undefined].some((type) => value instanceof type)
  );
}

function itemsOf(value: Value): Iterable<Value> {
  if (isList(value)) return value;
  if (isText(value)) return charactersOf(value);
  if (value instanceof Tuple || value instanceof DictView) return value.items;
  if (value instanceof Dict) return keysOf(value);
  if (value instanceof Range) return numbersOf(value);
  if (value instanceof Lazy) return remainderOf(value);
  if (value instanceof Undefined) return [];
  throw new TemplateError(`a ${typeName(value)} has no items to go through`);
}

function* charactersOf(text: Value & ReturnType<typeof sliceText>): Generator<Value> {
  let at = 0;
  for (const character of plain(text)) {
    yield sliceText(text, at, at + character.length);
    at += character.length;
  }
}

function* keysOf(dict: Dict): Generator<Value> {
  for (const [key] of dict.entries()) yield key;
}

function* numbersOf(range: Range): Generator<Value> {
  for (let index = 0; index < range.length; index += 1) yield range.at(index);
}

/** Gives what is left of it. Not `for … of`, which would end it where the loop breaks off. */
function* remainderOf({ iterator }: Lazy): Generator<Value> {
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) yield next.value;
}
