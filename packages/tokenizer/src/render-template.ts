import { Template, tokenize } from "@huggingface/jinja";
import { ValidationError } from "@tinkex/base";

/** A chat template, compiled once. */
export interface CompiledTemplate {
  /** Renders it with the variables given. @throws ValidationError when it refuses them. */
  render(variables: Readonly<Record<string, unknown>>): string;
  /** The string literals in its expressions and statements. */
  readonly words: ReadonlySet<string>;
}

/** The package's own type of it does not resolve: its declarations import each other without file extensions. */
interface TemplateToken {
  readonly type: string;
  readonly value: string;
}

/**
 * Compiles a Jinja chat template.
 * @throws ValidationError when it does not parse.
 */
export function compileTemplate(source: string): CompiledTemplate {
  const { template, tokens } = refusing(
    "This chat template is not one that @huggingface/jinja can read",
    () => ({ template: new Template(source), tokens: tokenize(source) as readonly TemplateToken[] }),
  );
  const words = new Set(tokens.filter(({ type }) => type === "StringLiteral").map(({ value }) => value));
  const render: CompiledTemplate["render"] = (variables) => {
    const converted = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, withGuardedLists(value)]),
    );
    const text = refusing("The chat template refused this conversation", () => template.render(converted));
    if (text.includes(OBJECT_AS_TEXT) && !JSON.stringify(variables).includes(OBJECT_AS_TEXT)) {
      throw new ValidationError(
        "The chat template joined an object to a text. Pass tool call arguments as the template wants them: as JSON text, or as an object.",
      );
    }
    return text;
  };
  return { render, words };
}

/** What the engine makes of an object that a template adds to a text; Python raises a TypeError. */
const OBJECT_AS_TEXT = "[object Map]";

/**
 * A list which refuses to be joined to a text. Where a template written for text content gets a list of parts,
 * Python raises a TypeError; the engine would put JSON into the prompt and say nothing.
 */
class GuardedList extends Array<unknown> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  // The engine makes its own list by `map`, and joins lists to texts by `toString`.
  override map<T>(convert: (value: unknown, index: number, list: unknown[]) => T): T[] {
    const converted = Array.prototype.map.call(this, convert) as T[];
    Object.defineProperty(converted, "toString", {
      value: () => {
        throw new Error("it wants text where a message has a list of parts; pass the content as one string");
      },
    });
    return converted;
  }
}

function withGuardedLists(value: unknown): unknown {
  if (Array.isArray(value)) return GuardedList.from(value, withGuardedLists);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withGuardedLists(inner)]));
}

function refusing<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new ValidationError(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}
