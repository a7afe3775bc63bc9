import { characterOffsets, isOfUnits } from "../values/python-text.js";
import type { Run } from "../values/run.js";
import { TemplateError, unsupported } from "../values/template-error.js";
import { isText, plain, sliceText, type TextValue } from "../values/text.js";
import {
  Attributed,
  type CallArguments,
  Callable,
  Dict,
  isHashable,
  isInteger,
  isList,
  Loop,
  Markup,
  Namespace,
  NONE,
  numberOf,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "../values/values.js";
import { DICT_METHODS } from "./dict-methods.js";
import { numberAttribute } from "./number-attributes.js";
import { rangeAttribute } from "./range-attributes.js";
import { LIST_METHODS, SEQUENCE_METHODS } from "./sequence-methods.js";
import { STRING_METHODS } from "./string-methods.js";

/** A method of a type: called with the value that it belongs to. */
export type Method<T> = (self: T, given: CallArguments, run: Run) => Value;

/** Methods that would change a list or dictionary, which the sandbox does not give. */
const CHANGING: Readonly<Record<string, ReadonlySet<string>>> = {
  list: new Set(["append", "clear", "pop", "reverse", "insert", "sort", "extend", "remove"]),
  dict: new Set(["clear", "pop", "popitem", "setdefault", "update"]),
};

/** Attributes of Python's types that no chat template has a use for. */
const FOREIGN: Readonly<Record<string, ReadonlySet<string>>> = {
  str: words("encode maketrans translate"),
  int: words("as_integer_ratio from_bytes to_bytes"),
  float: words("as_integer_ratio fromhex hex"),
  generator: words("close send throw"),
  dict_items: words("isdisjoint mapping"),
  dict_keys: words("isdisjoint mapping"),
  dict_values: words("mapping"),
};

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/** `value.name`: an attribute goes before an item. */
export function memberOf(value: Value, name: string, run: Run): Value {
  return attributeOf(value, name, run) ?? itemAt(value, name, run) ?? missing(value, name);
}

/** `value[key]`: an item goes before an attribute. */
export function itemOf(value: Value, key: Value, run: Run): Value {
  const item = itemAt(value, key, run);
  if (item !== undefined) return item;
  return (isText(key) ? attributeOf(value, plain(key), run) : undefined) ?? missing(value, key);
}

/** `value|attr(name)`: an attribute, and no item. */
export function attributeAlone(value: Value, name: string, run: Run): Value {
  return attributeOf(value, name, run) ?? missing(value, name);
}

function missing(value: Value, key: Value): Undefined {
  const owner = value === NONE ? "None" : `${typeName(value)} object`;
  if (isText(key)) return new Undefined(`'${owner}' has no attribute '${plain(key)}'`);
  return new Undefined(`${owner} has no element ${numberOf(key) ?? "of that key"}`);
}

function attributeOf(value: Value, name: string, run: Run): Value | undefined {
  if (value instanceof Undefined) throw new TemplateError(value.message);
  if (value instanceof Namespace) return value.attributes.get(name);
  if (value instanceof Loop || value instanceof Attributed) return value.attribute(name);
  if (value instanceof Markup) throw unsupported(`'.${name}' of what 'safe' made`);
  if (value instanceof Callable) return functionAttribute(value, name);
  if (/^__.*__$/s.test(name)) throw unsupported(`the attribute '${name}'`);
  const type = typeName(value);
  if (CHANGING[type]?.has(name) === true) {
    return new Undefined(`access to attribute '${name}' of '${type}' object is unsafe.`);
  }
  if (FOREIGN[type === "bool" ? "int" : type]?.has(name) === true)
    throw unsupported(`'.${name}' of a ${type}`);
  return methodOf(value, name, run);
}

function functionAttribute(value: Callable, name: string): Value | undefined {
  const known = value.attributes?.get(name);
  if (known !== undefined) return known;
  if (value.attributes === undefined || /^__.*__$/s.test(name))
    throw unsupported(`the attribute '${name}' of a function`);
  return undefined;
}

function methodOf(value: Value, name: string, run: Run): Value | undefined {
  if (isText(value)) return bound(name, STRING_METHODS.get(name), value, run);
  if (value instanceof Dict) return bound(name, DICT_METHODS.get(name), value, run);
  if (isList(value)) return bound(name, LIST_METHODS.get(name) ?? SEQUENCE_METHODS.get(name), value, run);
  if (value instanceof Range) return rangeAttribute(value, name);
  if (numberOf(value) !== undefined) return numberAttribute(value, name);
  if (!(value instanceof Tuple)) return undefined;
  const place = value.names.indexOf(name);
  return place === -1 ? bound(name, SEQUENCE_METHODS.get(name), value.items, run) : value.items[place];
}

function bound<T>(name: string, method: Method<T> | undefined, self: T, run: Run): Callable | undefined {
  return method === undefined ? undefined : new Callable(name, (given) => method(self, given, run));
}

function itemAt(value: Value, key: Value, run: Run): Value | undefined {
  if (value instanceof Undefined) throw new TemplateError(value.message);
  if (value instanceof Markup) throw unsupported("an item of what 'safe' made");
  if (value instanceof Dict) return isHashable(key) ? value.get(key) : undefined;
  if (!isInteger(key)) return undefined;
  const index = Number(key);
  if (isText(value)) return characterAt(value, index, run);
  if (isList(value)) return value.at(index);
  if (value instanceof Tuple) return value.items.at(index);
  if (!(value instanceof Range)) return undefined;
  const place = index < 0 ? index + value.length : index;
  return place >= 0 && place < value.length ? value.at(place) : undefined;
}

function characterAt(text: TextValue, index: number, run: Run): TextValue | undefined {
  const value = plain(text);
  run.budget.scan(value, "[]");
  const offsets = isOfUnits(value) ? undefined : characterOffsets(value);
  const count = offsets === undefined ? value.length : offsets.length - 1;
  const place = index < 0 ? index + count : index;
  if (place < 0 || place >= count) return undefined;
  return offsets === undefined
    ? sliceText(text, place, place + 1)
    : sliceText(text, offsets[place] ?? 0, offsets[place + 1] ?? 0);
}

/** `value[start:stop:step]`. */
export function sliceOf(value: Value, bounds: readonly (Value | undefined)[], run: Run): Value {
  if (value instanceof Undefined) throw new TemplateError(value.message);
  if (!isSliceable(value)) throw new TemplateError(`a ${typeName(value)} has no slices`);
  const [start, stop, step = 1] = bounds.map(boundOf);
  if (step === 0) throw new TemplateError("the step of a slice must not be 0");
  if (isText(value)) return sliceOfText(value, start, stop, step, run);
  if (isList(value)) return sliceOfItems(value, start, stop, step, run);
  if (value instanceof Tuple) return new Tuple(sliceOfItems(value.items, start, stop, step, run));
  if (value instanceof Range) return sliceOfRange(value, start, stop, step);
  throw unsupported("a slice of what 'safe' made");
}

function isSliceable(value: Value): boolean {
  return isText(value) || isList(value) || [Tuple, Range, Markup].some((type) => value instanceof type);
}

function sliceOfRange(
  range: Range,
  start: number | undefined,
  stop: number | undefined,
  step: number,
): Range {
  const { from, to } = places(range.length, start, stop, step);
  return new Range(range.at(from), range.at(to), range.step * step);
}

function boundOf(bound: Value | undefined): number | undefined {
  if (bound === undefined || bound === NONE) return undefined;
  if (!isInteger(bound)) {
    throw new TemplateError(
      bound instanceof Undefined ? bound.message : `a slice needs whole numbers, got a ${typeName(bound)}`,
    );
  }
  return Number(bound);
}

/** The first place of a slice, the one behind its last, and how many there are. */
function places(length: number, start: number | undefined, stop: number | undefined, step: number) {
  const [lowest, highest] = step > 0 ? [0, length] : [-1, length - 1];
  const clip = (bound: number) => Math.min(Math.max(bound < 0 ? bound + length : bound, lowest), highest);
  const from = start === undefined ? (step > 0 ? lowest : highest) : clip(start);
  const to = stop === undefined ? (step > 0 ? highest : lowest) : clip(stop);
  return { from, to, count: Math.max(0, Math.ceil((to - from) / step)) };
}

function sliceOfItems(
  items: readonly Value[],
  start: number | undefined,
  stop: number | undefined,
  step: number,
  run: Run,
): Value[] {
  const { from, count } = places(items.length, start, stop, step);
  run.budget.allocate(48 + 8 * count, "[:]");
  run.budget.spend(1 + count / 8, "[:]");
  if (step === 1) return items.slice(from, from + count);
  return Array.from({ length: count }, (_, index) => items[from + index * step] ?? NONE);
}

function sliceOfText(
  text: TextValue,
  start: number | undefined,
  stop: number | undefined,
  step: number,
  run: Run,
): TextValue {
  const value = plain(text);
  run.budget.scan(value, "[:]");
  const offsets = isOfUnits(value) ? undefined : characterOffsets(value);
  const offsetOf = (place: number) => offsets?.[place] ?? place;
  const { from, count } = places(
    offsets === undefined ? value.length : offsets.length - 1,
    start,
    stop,
    step,
  );
  if (step === 1) return sliceText(text, offsetOf(from), offsetOf(from + count));
  run.budget.allocate(48 + 32 * count, "[:]");
  const parts = Array.from({ length: count }, (_, index) => {
    const place = from + index * step;
    return sliceText(text, offsetOf(place), offsetOf(place + 1));
  });
  return run.join(parts, "[:]");
}
