import { attributeGetter, sortKey } from "../operations/attribute-getter.js";
import { calculate, compare, isEqual, isTrue, sortBy } from "../operations/operators.js";
import { textOf } from "../printing/print-value.js";
import { textArgument, wholeArgument } from "../values/arguments.js";
import { isIterable, iterate, listOf } from "../values/iterate.js";
import { characterCount } from "../values/python-text.js";
import { bind, type Run } from "../values/run.js";
import { TemplateError, unsupported } from "../values/template-error.js";
import { concatTexts, isText, plain, type TextValue } from "../values/text.js";
import {
  type CallArguments,
  Dict,
  DictView,
  isList,
  Lazy,
  Markup,
  NONE,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "../values/values.js";
import type { Filter } from "./filters.js";

/** The number of items of a value, as `len` counts them. */
export function lengthOf(value: Value, run: Run): number {
  if (isText(value)) {
    run.budget.scan(plain(value), "length");
    return characterCount(plain(value));
  }
  if (isList(value)) return value.length;
  if (value instanceof Tuple || value instanceof DictView) return value.items.length;
  if (value instanceof Dict) return value.size;
  if (value instanceof Range) return value.length;
  if (value instanceof Undefined) return 0;
  if (value instanceof Markup) return lengthOf(value.text, run);
  throw new TemplateError(`a ${typeName(value)} has no length`);
}

const length: Filter = (value, given, run) => {
  bind("length", given, []);
  return lengthOf(value, run);
};

const join: Filter = (value, given, run) => {
  const { d = "", attribute } = bind("join", given, ["d", "attribute"]);
  const get = attributeGetter(attribute, run);
  const between = textOf(d, run);
  const parts: TextValue[] = [];
  for (const item of iterate(value, run.budget, "join")) {
    if (parts.length > 0) parts.push(between);
    run.budget.allocate(16, "join");
    parts.push(textOf(get(item), run));
  }
  return run.join(parts, "join");
};

const first: Filter = (value, given, run) => {
  bind("first", given, []);
  const next = iterate(value, run.budget, "first").next();
  return next.done === true ? new Undefined("No first item, sequence was empty.") : next.value;
};

const last: Filter = (value, given, run) => {
  bind("last", given, []);
  if (value instanceof Lazy) throw new TemplateError("'last' cannot go back from the end of a generator");
  return listOf(value, run.budget, "last").at(-1) ?? new Undefined("No last item, sequence was empty.");
};

const reverse: Filter = (value, given, run) => {
  bind("reverse", given, []);
  if (isText(value)) return concatTexts((listOf(value, run.budget, "reverse") as TextValue[]).reverse());
  return new Lazy(listOf(value, run.budget, "reverse").reverse());
};

const sort: Filter = (value, given, run) => {
  const {
    reverse: isReversed = false,
    case_sensitive,
    attribute,
  } = bind("sort", given, ["reverse", "case_sensitive", "attribute"]);
  const key = sortKey(case_sensitive, run);
  const getters = (isText(attribute) ? plain(attribute).split(",") : [attribute ?? NONE]).map((one) =>
    attributeGetter(one, run),
  );
  return sortBy(value, (item) => getters.map((get) => key(get(item))), isTrue(isReversed), run);
};

const dictsort: Filter = (value, given, run) => {
  const {
    case_sensitive,
    by = "key",
    reverse: isReversed = false,
  } = bind("dictsort", given, ["case_sensitive", "by", "reverse"]);
  if (!(value instanceof Dict))
    throw new TemplateError(`'dictsort' needs a dictionary, got a ${typeName(value)}`);
  const key = sortKey(case_sensitive, run);
  const place = { key: 0, value: 1 }[plain(textArgument("dictsort", by))];
  if (place === undefined) throw new TemplateError("'dictsort' sorts by 'key' or 'value'");
  run.budget.allocate(48 + 64 * value.size, "dictsort");
  // Equal values keep their order; keys differ, but for the case of letters, which digits have not.
  const entries = place === 0 ? value.entriesInAnyOrder() : value.entries();
  const pairs = Array.from(entries, (entry) => new Tuple(entry));
  return sortBy(
    pairs,
    (pair) => (pair instanceof Tuple ? key(pair.items[place] ?? NONE) : NONE),
    isTrue(isReversed),
    run,
  );
};

const unique: Filter = (value, given, run) => {
  const { case_sensitive, attribute } = bind("unique", given, ["case_sensitive", "attribute"]);
  const get = attributeGetter(attribute, run);
  const key = sortKey(case_sensitive, run);
  return new Lazy(
    (function* () {
      let seen = new Dict();
      for (const item of iterate(value, run.budget, "unique")) {
        const itemKey = key(get(item));
        if (seen.get(itemKey) !== undefined) continue;
        run.budget.allocate(64 * (seen.size + 1), "unique");
        seen = new Dict([...seen.entries(), [itemKey, true]]);
        yield item;
      }
    })(),
  );
};

function extreme(name: string, isBetter: (order: number) => boolean): Filter {
  return (value, given, run) => {
    const { case_sensitive, attribute } = bind(name, given, ["case_sensitive", "attribute"]);
    const get = attributeGetter(attribute, run);
    const key = sortKey(case_sensitive, run);
    let best: { readonly item: Value; readonly key: Value } | undefined;
    for (const item of iterate(value, run.budget, name)) {
      const itemKey = key(get(item));
      if (best === undefined || isBetter(compare(itemKey, best.key, "<", run))) best = { item, key: itemKey };
    }
    return best === undefined ? new Undefined("No aggregated item, sequence was empty.") : best.item;
  };
}

const sum: Filter = (value, given, run) => {
  const { attribute, start = 0 } = bind("sum", given, ["attribute", "start"]);
  const get = attributeGetter(attribute, run);
  if (isText(start)) throw new TemplateError("'sum' does not add texts; use 'join'");
  let total: Value = start;
  for (const item of iterate(value, run.budget, "sum")) total = calculate("+", total, get(item), run);
  return total;
};

const map: Filter = (value, given, run) => {
  const { positional, keywords } = given;
  if (positional.length === 0 && keywords.has("attribute")) {
    const { attribute, default: otherwise } = bind("map", given, ["attribute", "default"]);
    return lazily(value, "map", run, attributeGetter(attribute, run, otherwise));
  }
  const [name, ...rest] = positional;
  return lazily(value, "map", run, (item) =>
    run.filter(plain(textArgument("map", name)), item, { positional: rest, keywords }),
  );
};

/** Steps that a filter or test of each item takes, beside what it does. */
const LAZY_STEPS = 4;

/** Items made when they are asked for; none of what is false, as jinja2 has it. */
function lazily(value: Value, name: string, run: Run, convert: (item: Value) => Value): Lazy {
  return new Lazy(
    (function* () {
      if (!isTrue(value)) return;
      for (const item of iterate(value, run.budget, name)) {
        run.budget.spend(LAZY_STEPS, name);
        yield convert(item);
      }
    })(),
  );
}

function selection(name: string, isWanted: boolean, hasAttribute: boolean): Filter {
  return (value, given, run) => {
    const decide = decision(name, given, hasAttribute, run);
    return new Lazy(
      (function* () {
        if (!isTrue(value)) return;
        const accepts = decide();
        for (const item of iterate(value, run.budget, name)) {
          run.budget.spend(LAZY_STEPS, name);
          if (accepts(item) === isWanted) yield item;
        }
      })(),
    );
  };
}

function decision(name: string, { positional, keywords }: CallArguments, hasAttribute: boolean, run: Run) {
  return (): ((item: Value) => boolean) => {
    const [attribute] = positional;
    if (hasAttribute && attribute === undefined)
      throw new TemplateError(`'${name}' needs the name of an attribute`);
    const get = attributeGetter(hasAttribute ? attribute : undefined, run);
    const [test, ...rest] = positional.slice(hasAttribute ? 1 : 0);
    if (test === undefined) return (item) => isTrue(get(item));
    const testName = plain(textArgument(name, test));
    return (item) => run.test(testName, get(item), { positional: rest, keywords });
  };
}

const groupby: Filter = (value, given, run) => {
  const {
    attribute,
    default: otherwise,
    case_sensitive,
  } = bind("groupby", given, ["attribute", "default", "case_sensitive"], 1);
  const get = attributeGetter(attribute, run, otherwise);
  const key = sortKey(case_sensitive, run);
  const groups: { readonly key: Value; readonly items: Value[] }[] = [];
  for (const item of sortBy(value, (one) => key(get(one)), false, run)) {
    const itemKey = key(get(item));
    const group = groups.at(-1);
    run.budget.allocate(64, "groupby");
    if (group !== undefined && isEqual(group.key, itemKey, run)) group.items.push(item);
    else groups.push({ key: itemKey, items: [item] });
  }
  return groups.map(({ items }) => new Tuple([get(items[0] ?? NONE), items], ["grouper", "list"]));
};

const batch: Filter = (value, given, run) => {
  const { linecount, fill_with = NONE } = bind("batch", given, ["linecount", "fill_with"], 1);
  const size = wholeArgument("batch", linecount, 1);
  return new Lazy(
    (function* (): Generator<Value> {
      let items: Value[] = [];
      for (const item of iterate(value, run.budget, "batch")) {
        if (items.length === size) {
          yield items;
          items = [];
        }
        run.budget.allocate(16, "batch");
        items.push(item);
      }
      if (items.length === 0) return;
      run.budget.allocate(fill_with === NONE ? 0 : 8 * size, "batch");
      while (fill_with !== NONE && items.length < size) items.push(fill_with);
      yield items;
    })(),
  );
};

const slice: Filter = (value, given, run) => {
  const { slices, fill_with = NONE } = bind("slice", given, ["slices", "fill_with"], 1);
  const count = wholeArgument("slice", slices, 1);
  return new Lazy(
    (function* (): Generator<Value> {
      const items = listOf(value, run.budget, "slice");
      if (count === 0) throw new TemplateError("'slice' by zero");
      const size = Math.floor(items.length / count);
      const longer = items.length - size * count;
      for (let index = 0, start = 0; index < count; index += 1) {
        run.budget.allocate(64 + 8 * size, "slice");
        run.budget.spend(1, "slice");
        const end = start + size + (index < longer ? 1 : 0);
        const part = items.slice(start, end);
        yield fill_with !== NONE && index >= longer ? [...part, fill_with] : part;
        start = end;
      }
    })(),
  );
};

const list: Filter = (value, given, run) => {
  bind("list", given, []);
  return listOf(value, run.budget, "list");
};

const items: Filter = (value, given, run) => {
  bind("items", given, []);
  if (value instanceof Undefined) return new Lazy([]);
  if (!(value instanceof Dict))
    throw new TemplateError(`'items' needs a dictionary, got a ${typeName(value)}`);
  run.budget.allocate(48 + 64 * value.size, "items");
  return new Lazy(Array.from(value.entries(), (entry) => new Tuple(entry)));
};

const random: Filter = (value) => {
  if (!isIterable(value)) throw new TemplateError("'random' needs a list");
  throw unsupported("the filter 'random'");
};

/** The filters of jinja2 that take lists. */
export const LIST_FILTERS: readonly (readonly [string, Filter])[] = [
  ["length", length],
  ["count", length],
  ["join", join],
  ["first", first],
  ["last", last],
  ["reverse", reverse],
  ["sort", sort],
  ["dictsort", dictsort],
  ["unique", unique],
  ["min", extreme("min", (order) => order < 0)],
  ["max", extreme("max", (order) => order > 0)],
  ["sum", sum],
  ["map", map],
  ["select", selection("select", true, false)],
  ["reject", selection("reject", false, false)],
  ["selectattr", selection("selectattr", true, true)],
  ["rejectattr", selection("rejectattr", false, true)],
  ["groupby", groupby],
  ["batch", batch],
  ["slice", slice],
  ["list", list],
  ["items", items],
  ["random", random],
];
