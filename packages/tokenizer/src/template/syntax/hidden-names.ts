import type { ParsedTemplate } from "./parse-template.js";
import type { MacroDefinition, Statement, Target } from "./syntax.js";

/** Names that are undefined where a stretch of a template begins, by its statements. */
export type HiddenNames = ReadonlyMap<readonly Statement[], readonly string[]>;

/** Tells whether a name was met in one of the stretches around. */
type IsKnown = (name: string) => boolean;

/**
 * Finds the variables that jinja2 hides before they are set. It gives each stretch (template, loop, macro, block) its variables when it compiles
 * it: one that the stretch itself sets before it reads it is undefined up to there, also in the stretches within, whatever value the
 * template was given (jinja2 3.1, `idtracking.py`). Blocks are compiled by themselves, and see what was given.
 */
export function hiddenNames({ body }: ParsedTemplate): HiddenNames {
  const found = new Map<readonly Statement[], readonly string[]>();
  inspect(body, [], () => false, found);
  return found;
}

function inspect(
  body: readonly Statement[],
  given: readonly string[],
  isKnownAround: IsKnown,
  found: Map<readonly Statement[], readonly string[]>,
): void {
  const met = new Set(given);
  const hidden: string[] = [];
  const inner: (readonly [body: readonly Statement[], given: readonly string[]])[] = [];
  const read = (expression: unknown): void => {
    for (const name of namesIn(expression)) if (!isKnownAround(name)) met.add(name);
  };
  const set = (name: string, isSure: boolean): void => {
    if (!met.has(name) && isSure && !isKnownAround(name)) hidden.push(name);
    met.add(name);
  };
  const setTarget = (target: Target, isSure: boolean): void => {
    if (target.kind === "tuple") for (const item of target.items) setTarget(item, isSure);
    else if (target.kind === "name") set(target.name, isSure);
    else read({ kind: "name", name: target.namespace });
  };
  const visit = (statement: Statement, isSure: boolean): void => {
    switch (statement.kind) {
      case "print":
        read(statement.value);
        return;
      case "if":
        for (const branch of statement.branches) {
          read(branch.test);
          for (const each of branch.body) visit(each, false);
        }
        for (const each of statement.otherwise) visit(each, false);
        return;
      case "for":
        read(statement.iterable);
        inner.push([statement.body, ["loop", ...namesOfTarget(statement.target)]], [statement.otherwise, []]);
        return;
      case "set":
        read(statement.value);
        setTarget(statement.target, isSure);
        return;
      case "set block":
        setTarget(statement.target, isSure);
        inner.push([statement.body, []]);
        return;
      case "macro":
        set(statement.macro.name, isSure);
        inner.push([statement.macro.body, namesOfMacro(statement.macro)]);
        return;
      case "call block":
        read(statement.call);
        inner.push([statement.caller.body, namesOfMacro(statement.caller)]);
        return;
      case "filter block":
        read(statement.filter);
        inner.push([statement.body, []]);
        return;
      case "with":
        for (const [, value] of statement.variables) read(value);
        inner.push([statement.body, statement.variables.flatMap(([target]) => namesOfTarget(target))]);
        return;
      case "block":
        if (!statement.isScoped) inspect(statement.body, [], () => false, found);
        else inner.push([statement.body, []]);
        return;
      case "generation":
        inner.push([statement.body, []]);
    }
  };
  for (const statement of body) visit(statement, true);
  if (hidden.length > 0) found.set(body, hidden);
  const isKnown: IsKnown = (name) => met.has(name) || isKnownAround(name);
  for (const [stretch, names] of inner) inspect(stretch, names, isKnown, found);
}

/** The names that an expression reads, wherever they stand in it. */
function namesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  if ("kind" in value && value.kind === "name" && "name" in value) return [String(value.name)];
  return Object.values(value).flatMap(namesIn);
}

function namesOfTarget(target: Target): string[] {
  if (target.kind === "tuple") return target.items.flatMap(namesOfTarget);
  return target.kind === "name" ? [target.name] : [];
}

function namesOfMacro({ parameters, specials }: MacroDefinition): string[] {
  const defaults = parameters.flatMap(({ defaultValue }) => namesIn(defaultValue));
  return [...parameters.map(({ name }) => name), ...specials, ...defaults];
}
