import { TemplateError, unsupported } from "./template-error.js";
import { isText, plain, type TextValue } from "./text.js";

/**
 * A value of a template, as Python has it: numbers are whole, lists are arrays. Lists, tuples and dictionaries never
 * change; namespaces do.
 */
export type Value =
  | None
  | boolean
  | number
  | BigWhole
  | Float
  | TextValue
  | readonly Value[]
  | Tuple
  | Dict
  | DictView
  | Range
  | Lazy
  | Undefined
  | Namespace
  | Callable
  | Loop
  | Attributed
  | Markup;

/** Python's None. Not null, so that `??` tells it from what is not there. */
export class None {
  readonly isNone = true;
}

export const NONE = new None();

/** A number with a fraction, or one that Python would print with `.0`. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A whole number beyond 2^53. Templates print it and compare it for equality; calculations with it are refused. */
export class BigWhole {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

export class Tuple {
  readonly items: readonly Value[];
  /** The names of the items, of a group of `groupby`. */
  readonly names: readonly string[];

  constructor(items: readonly Value[], names: readonly string[] = []) {
    this.items = items;
    this.names = names;
  }
}

/** A key as a map compares it: 1, 1.0 and True are one key, "1" is another; functions and their like are each their own. */
type DictKey = string | number | null | typeof UNDEFINED_KEY | object;

/** All undefined values are one key, as they are equal. */
const UNDEFINED_KEY = Symbol("undefined");

export class Dict {
  readonly #entries = new Map<DictKey, readonly [Value, Value]>();
  readonly #lostOrder: string | undefined;

  /**
   * @param lostOrder - the reason why nobody can tell the order of the entries, with the place of the dictionary; such a one can be
   * asked for its keys, and refuses to be gone through
   */
  constructor(entries: Iterable<readonly [Value, Value]> = [], lostOrder?: string) {
    this.#lostOrder = lostOrder;
    for (const [key, value] of entries) {
      const known = this.#entries.get(keyOf(key));
      this.#entries.set(keyOf(key), [known === undefined ? key : known[0], value]);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Value): Value | undefined {
    return this.#entries.get(keyOf(key))?.[1];
  }

  /** The entries in their order. @throws TemplateError when that was lost */
  entries(): Iterable<readonly [Value, Value]> {
    if (this.#lostOrder !== undefined) throw new TemplateError(this.#lostOrder);
    return this.#entries.values();
  }

  /** The entries for what does not depend on their order. */
  entriesInAnyOrder(): Iterable<readonly [Value, Value]> {
    return this.#entries.values();
  }

  keys(): Value[] {
    return Array.from(this.entries(), ([key]) => key);
  }

  values(): Value[] {
    return Array.from(this.entries(), ([, value]) => value);
  }
}

/** The value of `items()`, `keys()` and `values()`: a list that prints otherwise and has no places. */
export class DictView {
  readonly kind: "dict_items" | "dict_keys" | "dict_values";
  readonly items: readonly Value[];

  constructor(kind: DictView["kind"], items: readonly Value[]) {
    this.kind = kind;
    this.items = items;
  }
}

export class Range {
  readonly start: number;
  readonly stop: number;
  readonly step: number;

  constructor(start: number, stop: number, step: number) {
    this.start = start;
    this.stop = stop;
    this.step = step;
  }

  get length(): number {
    return Math.max(0, Math.ceil((this.stop - this.start) / this.step));
  }

  at(index: number): number {
    return this.start + index * this.step;
  }
}

/** The value of filters such as `map`: items that are made when they are asked for, once. */
export class Lazy {
  readonly iterator: Iterator<Value>;

  constructor(items: Iterable<Value>) {
    this.iterator = items[Symbol.iterator]();
  }
}

/** A name, key or attribute that is not there. It prints as nothing; most other uses of it are errors. */
export class Undefined {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A keeper of values across scopes. */
export class Namespace {
  readonly attributes = new Map<string, Value>();
}

/** Values that a call gives to a function, filter or test. */
export interface CallArguments {
  readonly positional: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
}

const NO_ATTRIBUTES: ReadonlyMap<string, Value> = new Map();

export class Callable {
  readonly name: string;
  readonly call: (given: CallArguments) => Value;
  /** Attributes that a template may ask for; none are known here of Python's own classes, which have many. */
  readonly attributes: ReadonlyMap<string, Value> | undefined;

  constructor(
    name: string,
    call: (given: CallArguments) => Value,
    attributes: ReadonlyMap<string, Value> | undefined = NO_ATTRIBUTES,
  ) {
    this.name = name;
    this.call = call;
    this.attributes = attributes;
  }
}

/** The variable `loop`, asked by attribute. */
export class Loop {
  readonly attribute: (name: string) => Value | undefined;
  readonly recurse: (given: CallArguments) => Value;

  constructor(attribute: Loop["attribute"], recurse: Loop["recurse"]) {
    this.attribute = attribute;
    this.recurse = recurse;
  }
}

/** A value of which a template knows the attributes alone, such as what `cycler` gives. */
export class Attributed {
  readonly type: string;
  readonly attribute: (name: string) => Value | undefined;
  /** The text that it is printed as, if that is no address in memory. */
  readonly text: string | undefined;

  constructor(type: string, attribute: Attributed["attribute"], text?: string) {
    this.type = type;
    this.attribute = attribute;
    this.text = text;
  }
}

/** The value of `safe`: a text that Python treats as HTML, which can be printed and nothing else here. */
export class Markup {
  readonly text: TextValue;

  constructor(text: TextValue) {
    this.text = text;
  }
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/**
 * The number that a value is in calculations, where True is 1; undefined for what is no number.
 *
 * @throws TemplateError for a whole number that JavaScript would round
 */
export function numberOf(value: Value): number | undefined {
  if (typeof value === "number") return value;
  if (value instanceof BigWhole) throw unsupported("calculating with a number beyond 2^53");
  if (typeof value === "boolean") return value ? 1 : 0;
  return value instanceof Float ? value.value : undefined;
}

/**
 * Says whether a number is a whole one to Python, a Boolean among them.
 *
 * @throws TemplateError for a whole number that JavaScript would round
 */
export function isInteger(value: Value): value is number | boolean {
  if (value instanceof BigWhole) throw unsupported("calculating with a number beyond 2^53");
  return typeof value === "number" || typeof value === "boolean";
}

/** The name of a value's type, as Python's messages have it. */
export function typeName(value: Value): string {
  if (value === NONE) return "NoneType";
  if (isText(value)) return "str";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return "int";
  if (isList(value)) return "list";
  if (value instanceof DictView) return value.kind;
  if (value instanceof Attributed) return value.type;
  return NAMES.find(([type]) => value instanceof type)?.[1] ?? "object";
}

const NAMES = [
  [BigWhole, "int"],
  [Float, "float"],
  [Tuple, "tuple"],
  [Dict, "dict"],
  [Range, "range"],
  [Lazy, "generator"],
  [Undefined, "Undefined"],
  [Namespace, "Namespace"],
  [Callable, "function"],
  [Loop, "LoopContext"],
  [Markup, "Markup"],
] as const;

/** Says whether a value may be a key of a dictionary, as lists and dictionaries may not. */
export function isHashable(value: Value): boolean {
  return dictKey(value) !== undefined;
}

function keyOf(key: Value): DictKey {
  const found = dictKey(key);
  if (found === undefined) throw new TemplateError(`a ${typeName(key)} is no key of a dictionary`);
  return found;
}

function dictKey(key: Value): DictKey | undefined {
  if (key === NONE) return null;
  if (key instanceof Undefined) return UNDEFINED_KEY;
  if (isText(key)) return textKey(plain(key));
  const number = numberOf(key);
  if (number !== undefined) return number;
  if (key instanceof Tuple) return tupleKey(key.items);
  if (key instanceof Range) {
    const { length } = key;
    return compositeKey("range", [length, length > 0 ? key.start : 0, length > 1 ? key.step : 0]);
  }
  if (key instanceof DictView) return key.kind === "dict_values" ? key : undefined;
  if (isList(key) || key instanceof Dict || key instanceof Markup) return undefined;
  return typeof key === "object" ? key : undefined;
}

/** Begins the keys made of several parts, and is doubled where a text begins with it. */
const COMPOSITE = "\0";

function textKey(text: string): string {
  return text.startsWith(COMPOSITE) ? COMPOSITE + text : text;
}

function tupleKey(items: readonly Value[]): DictKey | undefined {
  const parts = items.map(dictKey);
  // Parts that are each their own have no spelling.
  if (parts.some((part) => part === undefined || (typeof part === "object" && part !== null)))
    return undefined;
  return compositeKey(
    "tuple",
    parts.map((part) =>
      typeof part === "symbol" ? [] : typeof part === "number" ? [String(part + 0)] : part,
    ),
  );
}

function compositeKey(kind: string, parts: readonly unknown[]): string {
  return `${COMPOSITE}1${JSON.stringify([kind, ...parts])}`;
}
