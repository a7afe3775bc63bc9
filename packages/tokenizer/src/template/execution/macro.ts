import type { Expression, MacroDefinition, Parameter } from "../syntax/syntax.js";
import { TemplateError } from "../values/template-error.js";
import { type CallArguments, Dict, Tuple, Undefined, type Value } from "../values/values.js";
import type { Scope } from "./scope.js";

/**
 * Gives the parameters of a macro their values, as jinja2 does: by place, by name, by default, and undefined without.
 * @param evaluate - evaluates a default, which sees the parameters that are given and those before it; of itself, and of those behind it
 * that are not given, it sees nothing, whatever the template around has under that name
 */
export function bindMacro(
  { name, parameters, specials }: MacroDefinition,
  { positional, keywords: given }: CallArguments,
  scope: Scope,
  evaluate: (value: Expression) => Value,
): void {
  const keywords = new Map(given);
  const missing: Parameter[] = [];
  for (const [index, parameter] of parameters.entries()) {
    const byPlace = positional[index];
    const value = byPlace ?? keywords.get(parameter.name);
    if (byPlace === undefined) keywords.delete(parameter.name);
    if (value !== undefined) scope.set(parameter.name, value);
    else {
      scope.set(parameter.name, new Undefined(`parameter '${parameter.name}' was not provided`));
      missing.push(parameter);
    }
  }
  for (const parameter of missing)
    if (parameter.defaultValue !== undefined) scope.set(parameter.name, evaluate(parameter.defaultValue));
  if (specials.has("caller") && !parameters.some((parameter) => parameter.name === "caller")) {
    scope.set("caller", keywords.get("caller") ?? new Undefined("No caller defined"));
    keywords.delete("caller");
  }
  if (specials.has("kwargs") && !parameters.some((parameter) => parameter.name === "kwargs")) {
    scope.set("kwargs", new Dict(keywords));
  } else {
    for (const unknown of keywords.keys())
      throw new TemplateError(`the macro '${name}' has no parameter '${unknown}'`);
  }
  const rest = positional.slice(parameters.length);
  if (specials.has("varargs") && !parameters.some((parameter) => parameter.name === "varargs")) {
    scope.set("varargs", new Tuple(rest));
  } else if (rest.length > 0) {
    throw new TemplateError(`the macro '${name}' takes at most ${parameters.length} arguments`);
  }
}

/** The attributes that jinja2 gives a macro. */
export function macroAttributes({ name, parameters, specials }: MacroDefinition): ReadonlyMap<string, Value> {
  const names = parameters.map((parameter) => parameter.name);
  const asksFor = (special: string) => specials.has(special) && !names.includes(special);
  return new Map<string, Value>([
    ["name", name],
    ["arguments", new Tuple(names)],
    ["catch_kwargs", asksFor("kwargs")],
    ["catch_varargs", asksFor("varargs")],
    ["caller", specials.has("caller")],
    ["explicit_caller", names.includes("caller")],
  ]);
}
