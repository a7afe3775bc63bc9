import { ValidationError } from "@tinkex/base";
import { applyFilter, applyTest } from "./execution/evaluate.js";
import { Execution } from "./execution/execute.js";
import { Scope } from "./execution/scope.js";
import { globalsOf } from "./library/globals.js";
import { joinTexts } from "./operations/operators.js";
import { type HiddenNames, hiddenNames } from "./syntax/hidden-names.js";
import { type ParsedTemplate, parseTemplate } from "./syntax/parse-template.js";
import { tokenizeTemplate } from "./syntax/tokenize-template.js";
import { JsonReader, PLAIN_STRINGS, type StringMaker } from "./values/from-json.js";
import type { Run } from "./values/run.js";
import { TemplateError } from "./values/template-error.js";
import type { TextValue } from "./values/text.js";
import type { Value } from "./values/values.js";
import { WorkBudget } from "./values/work-budget.js";

/** Values that a template is rendered with, by name. */
export interface TemplateVariables {
  /** The program's own. */
  readonly own: Readonly<Record<string, unknown>>;
  /** Values that people wrote; these go before the others. */
  readonly peoples: Readonly<Record<string, unknown>>;
}

/** A chat template, compiled once. */
export interface CompiledTemplate {
  /**
   * Renders it. What people wrote is known in the text.
   * @throws ValidationError when it refuses the variables, or does more than it may.
   */
  render(variables: TemplateVariables, peoplesStrings: StringMaker): TextValue;
}

/** Forty times the largest template known. */
const MAX_SOURCE_LENGTH = 1024 * 1024;

/**
 * Compiles a Jinja chat template, which is run as jinja2's sandbox runs it with the settings of transformers.
 * @throws ValidationError when it does not parse, or is larger than any.
 */
export function compileTemplate(source: string): CompiledTemplate {
  if (source.length > MAX_SOURCE_LENGTH) {
    throw new ValidationError(
      `a chat template must be at most ${MAX_SOURCE_LENGTH} characters long, got ${source.length}`,
      { path: ["template"] },
    );
  }
  const [template, hidden] = refusing("this chat template cannot be read", () => {
    const parsed = parseTemplate(tokenizeTemplate(source));
    return [parsed, hiddenNames(parsed)] as const;
  });
  return {
    render: ({ own, peoples }, peoplesStrings) =>
      refusing("the chat template refused this conversation", () => {
        const reader = new JsonReader();
        const variables = new Map<string, Value>();
        for (const [name, value] of Object.entries(own))
          if (value !== undefined) variables.set(name, reader.read(value, PLAIN_STRINGS, name));
        for (const [name, value] of Object.entries(peoples))
          variables.set(name, reader.read(value, peoplesStrings, name));
        return render(template, hidden, variables, new WorkBudget(source.length + reader.size));
      }),
  };
}

function render(
  { body, blocks }: ParsedTemplate,
  hidden: HiddenNames,
  variables: ReadonlyMap<string, Value>,
  budget: WorkBudget,
): TextValue {
  const run: Run = {
    budget,
    now: () => new Date(),
    join: (parts, construct) => joinTexts(parts, construct, run),
    filter: (name, value, given) => applyFilter(name, value, given, run),
    test: (name, value, given) => applyTest(name, value, given, run),
  };
  const globals = new Scope(undefined, globalsOf(run));
  return new Execution(new Scope(new Scope(globals, variables)), run, blocks, hidden).render(body);
}

function refusing<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof TemplateError) {
      throw new ValidationError(
        `${what}: ${cause.message}${cause.line === undefined ? "" : ` (line ${cause.line})`}`,
        {
          cause,
        },
      );
    }
    if (cause instanceof RangeError)
      throw new ValidationError(`${what}: it is too deep or too large`, { cause });
    throw cause;
  }
}
