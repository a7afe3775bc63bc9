import { TemplateError } from "./template-error.js";
import type { TextValue } from "./text.js";
import type { CallArguments, Value } from "./values.js";
import type { WorkBudget } from "./work-budget.js";

/** One rendering: what its functions, filters and tests share. */
export interface Run {
  readonly budget: WorkBudget;
  /** The time that `strftime_now` gives. */
  now(): Date;
  /** Texts in a row, counted. */
  join(parts: readonly TextValue[], construct: string): TextValue;
  /** Applies a filter by its name, for `map`. */
  filter(name: string, value: Value, given: CallArguments): Value;
  /** Applies a test by its name, for `select` and its like. */
  test(name: string, value: Value, given: CallArguments): boolean;
}

/**
 * Gives the arguments of a call their names, as Python does.
 * @param required - number of the names that must be given
 * @throws TemplateError when there are too many, too few, or one of another name.
 */
export function bind<Name extends string>(
  what: string,
  { positional, keywords }: CallArguments,
  names: readonly Name[],
  required = 0,
): Partial<Record<Name, Value>> {
  if (positional.length > names.length) {
    throw new TemplateError(`${what} takes at most ${names.length} arguments, got ${positional.length}`);
  }
  const bound: Partial<Record<Name, Value>> = {};
  for (const [index, name] of names.entries()) {
    const byPlace = positional[index];
    const byName = keywords.get(name);
    if (byPlace !== undefined && byName !== undefined) {
      throw new TemplateError(`${what} got two values for its argument '${name}'`);
    }
    const value = byPlace ?? byName;
    if (value !== undefined) bound[name] = value;
    else if (index < required) throw new TemplateError(`${what} needs its argument '${name}'`);
  }
  for (const name of keywords.keys()) {
    if (!names.some((known) => known === name)) throw new TemplateError(`${what} has no argument '${name}'`);
  }
  return bound;
}

/** The same for a method that takes its arguments by place alone, as most of Python's own do. */
export function bindByPlace<Name extends string>(
  what: string,
  given: CallArguments,
  names: readonly Name[],
  required = 0,
): Partial<Record<Name, Value>> {
  if (given.keywords.size > 0) throw new TemplateError(`${what} takes no arguments by name`);
  return bind(what, given, names, required);
}
