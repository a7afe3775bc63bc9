import { textOf } from "../printing/print-value.js";
import { textArgument, wholeArgument } from "../values/arguments.js";
import { iterate } from "../values/iterate.js";
import { bind, type Run } from "../values/run.js";
import { TemplateError, unsupported } from "../values/template-error.js";
import { plain } from "../values/text.js";
import {
  Attributed,
  type CallArguments,
  Callable,
  Dict,
  isList,
  Namespace,
  NONE,
  Range,
  Tuple,
  type Value,
} from "../values/values.js";
import { strftime } from "./strftime.js";

/** The most that jinja2's sandbox allows. */
const MAX_RANGE = 100_000;

function range({ positional, keywords }: CallArguments): Value {
  if (positional.length === 0 || positional.length > 3 || keywords.size > 0) {
    throw new TemplateError("'range' takes one to three whole numbers");
  }
  const numbers = positional.map((value) => wholeArgument("range", value, 0));
  const [start = 0, stop = 0, step = 1] = numbers.length === 1 ? [0, ...numbers] : numbers;
  if (step === 0) throw new TemplateError("the step of 'range' must not be 0");
  const made = new Range(start, stop, step);
  if (made.length > MAX_RANGE) {
    throw new TemplateError(`'range' is too big: it may have ${MAX_RANGE} numbers, got ${made.length}`);
  }
  return made;
}

function dict(given: CallArguments, run: Run): Dict {
  const { positional, keywords } = given;
  if (positional.length > 1) throw new TemplateError(`'dict' takes one value, got ${positional.length}`);
  const [source] = positional;
  const entries =
    source === undefined ? [] : source instanceof Dict ? [...source.entries()] : pairsOf(source, run);
  run.budget.allocate(48 + 64 * (entries.length + keywords.size), "dict");
  run.budget.spend(entries.length, "dict");
  return new Dict([...entries, ...keywords]);
}

function pairsOf(source: Value, run: Run): (readonly [Value, Value])[] {
  const pairs: (readonly [Value, Value])[] = [];
  for (const item of iterate(source, run.budget, "dict")) {
    const parts = item instanceof Tuple ? item.items : isList(item) ? item : [];
    const [key, value] = parts;
    if (key === undefined || value === undefined || parts.length !== 2) {
      throw new TemplateError("'dict' needs pairs of a key and a value");
    }
    pairs.push([key, value]);
  }
  return pairs;
}

function namespace(given: CallArguments, run: Run): Namespace {
  const made = new Namespace();
  for (const [key, value] of dict(given, run).entries())
    setAttribute(made, plain(textArgument("namespace", key)), value);
  return made;
}

/** Sets an attribute of a namespace; transformers keeps those that begin with `_` out. */
export function setAttribute(target: Namespace, name: string, value: Value): void {
  if (name.startsWith("_"))
    throw new TemplateError(`a namespace keeps no attribute that begins with '_', got '${name}'`);
  target.attributes.set(name, value);
}

/** Gives one value after the other, and begins again after the last. */
function cycler({ positional: items, keywords }: CallArguments, run: Run): Attributed {
  if (items.length === 0 || keywords.size > 0)
    throw new TemplateError("'cycler' takes one value or more, by place");
  run.budget.allocate(96 + 8 * items.length, "cycler");
  let position = 0;
  const current = () => items[position] ?? NONE;
  const method = (name: string, work: () => Value) =>
    new Callable(name, (given) => {
      bind(name, given, []);
      return work();
    });
  return new Attributed("Cycler", (name) => {
    switch (name) {
      case "items":
        return new Tuple(items);
      case "pos":
        return position;
      case "current":
        return current();
      case "next":
        return method(name, () => {
          const value = current();
          position = (position + 1) % items.length;
          return value;
        });
      case "reset":
        return method(name, () => {
          position = 0;
          return NONE;
        });
      default:
        return undefined;
    }
  });
}

/** Gives a text to put between others: nothing when it is called first. */
function joiner(given: CallArguments): Callable {
  const { sep = ", " } = bind("joiner", given, ["sep"]);
  const attributes = new Map<string, Value>([
    ["sep", sep],
    ["used", false],
  ]);
  return new Callable(
    "joiner",
    (call) => {
      bind("joiner", call, []);
      const isUsed = attributes.get("used") === true;
      attributes.set("used", true);
      return isUsed ? sep : "";
    },
    attributes,
  );
}

function refused(name: string): readonly [string, Value] {
  return [
    name,
    new Callable(name, () => {
      throw unsupported(`'${name}'`);
    }),
  ];
}

/** Gives what every template sees: jinja2's functions and those that transformers adds. */
export function globalsOf(run: Run): ReadonlyMap<string, Value> {
  return new Map<string, Value>([
    ["range", new Callable("range", range, undefined)],
    ["dict", new Callable("dict", (given) => dict(given, run), undefined)],
    ["namespace", new Callable("namespace", (given) => namespace(given, run), undefined)],
    [
      "raise_exception",
      new Callable("raise_exception", (given) => {
        const { message = "" } = bind("raise_exception", given, ["message"], 1);
        throw new TemplateError(plain(textOf(message, run)));
      }),
    ],
    [
      "strftime_now",
      new Callable("strftime_now", (given) => {
        const { format } = bind("strftime_now", given, ["format"], 1);
        const text = plain(textArgument("strftime_now", format));
        run.budget.allocate(48 + 20 * text.length, "strftime_now");
        return strftime(run.now(), text);
      }),
    ],
    ["cycler", new Callable("cycler", (given) => cycler(given, run), undefined)],
    ["joiner", new Callable("joiner", joiner, undefined)],
    refused("lipsum"),
  ]);
}
