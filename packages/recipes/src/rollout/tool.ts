import {
  checkFunction,
  checkKnownNames,
  checkObject,
  checkString,
  describeValue,
  errorMessage,
  ValidationError,
} from "@tinkex/base";
import type { ToolDeclaration } from "@tinkex/renderers";

/** A JSON Schema of an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The part of the interface of standardschema.dev that is used: arguments are checked by it, and its JSON Schema is shown to the model. */
export interface StandardToolSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardOutcome | Promise<StandardOutcome>;
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: "draft-2020-12" }) => JsonSchema }
      | undefined;
  };
}

/** Result of a check: the value, or what is wrong with it. */
export type StandardOutcome =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** Circumstances of a call. */
export interface ToolContext {
  /** Aborts when the run ends, or the time of the episode or of this call. */
  readonly signal: AbortSignal;
  /** The problem of the episode. */
  readonly problem: unknown;
}

/** A tool that the model may call. Its name is its key in `tools`. */
export interface Tool {
  /** Text by which the model knows it. */
  readonly description: string;
  /** Arguments: a JSON Schema, which is shown and not checked, or a Standard Schema, by which they are checked too. */
  readonly inputSchema: JsonSchema | StandardToolSchema;
  /** Milliseconds for one call. @defaultValue as long as the episode may take */
  readonly timeoutMs?: number | undefined;
  /** Answers a call: a string, or a value that becomes JSON. A message of the error is the answer where it throws. */
  execute(input: Readonly<Record<string, unknown>>, context: ToolContext): unknown;
}

/** Tools by name. */
export type Tools = Readonly<Record<string, Tool>>;

/** A call of a tool that was answered. */
export interface ToolResult {
  readonly name: string;
  /** The model's name for the call, where its family has one. */
  readonly id: string | null;
  /** JSON text as the model wrote it. */
  readonly arguments: string;
  /** Text that the model is shown. */
  readonly output: string;
  /** True where the output is the message of an error: no such tool, no JSON, a tool that threw. */
  readonly isError: boolean;
}

const TOOL_FIELDS: Readonly<Record<keyof Tool, true>> = {
  description: true,
  inputSchema: true,
  timeoutMs: true,
  execute: true,
};

/** @throws ValidationError for what is no record of tools, or a schema that cannot be shown */
export function checkTools(tools: Tools, method: string): void {
  checkObject(tools, `${method}: tools`, "{ lookUp: { description, inputSchema, execute } }");
  for (const [name, tool] of Object.entries(tools)) {
    const place = `${method}: tools.${name}`;
    checkObject(tool, place, "{ description, inputSchema, execute }");
    checkKnownNames<object>(tool, TOOL_FIELDS, place);
    checkString(tool.description, `${place}.description`, "Looks a word up.");
    checkFunction(tool.execute, `${place}.execute`);
    const { timeoutMs = 1 } = tool;
    if (!(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
      throw new ValidationError(`${place}.timeoutMs must be above 0, got ${describeValue(timeoutMs)}`);
    }
    jsonSchemaOf(tool.inputSchema, place);
  }
}

/** Declarations as renderers take them. */
export function toolDeclarations(tools: Tools, method: string): ToolDeclaration[] {
  return Object.entries(tools).map(([name, { description, inputSchema }]) => ({
    name,
    description,
    parameters: jsonSchemaOf(inputSchema, `${method}: tools.${name}`),
  }));
}

function jsonSchemaOf(schema: JsonSchema | StandardToolSchema, place: string): JsonSchema {
  checkObject(schema, `${place}.inputSchema`, '{ type: "object", properties: {} }');
  if (!isStandard(schema)) return schema;
  const { jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined) {
    throw new ValidationError(
      `${place}.inputSchema has no JSON Schema to show the model; give a JSON Schema, or a library whose schemas have ~standard.jsonSchema`,
    );
  }
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch (cause) {
    throw new ValidationError(
      `${place}.inputSchema cannot be shown to the model as a JSON Schema (${errorMessage(cause)}); give one without transforms, or a JSON Schema`,
      { cause },
    );
  }
}

/** Tells a Standard Schema from a JSON Schema. */
export function isStandard(schema: JsonSchema | StandardToolSchema): schema is StandardToolSchema {
  return typeof schema["~standard"] === "object" && schema["~standard"] !== null;
}
