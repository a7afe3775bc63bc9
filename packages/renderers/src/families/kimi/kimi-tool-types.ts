import { ValidationError } from "@tinkex/base";
import { completeTool } from "../../messages/complete-tool.js";
import type { ToolDeclaration } from "../../messages/message.js";
import { jsonEntries, pythonText, writeJson } from "../../text/write-json.js";

type Schema = ReadonlyMap<string, unknown>;

/** A schema inside the declaration of a tool: how far its lines are indented, and where it stands, for errors. */
interface Spot {
  readonly indent: string;
  readonly path: readonly string[];
  /** Definitions of the declaration by name, for references. */
  readonly definitions: ReadonlyMap<string, unknown>;
}

const INDENT = "  ";
const TYPE_NAMES: Readonly<Record<string, string>> = { integer: "number", array: "Array<any>", object: "{}" };
const OF_NUMBERS = ["maximum", "minimum"];
/** Bounds of values that the model is told of beside their type, in the order in which it is. */
const CONSTRAINTS: Readonly<Record<string, readonly string[]>> = {
  array: ["maxItems", "minItems"],
  string: ["maxLength", "minLength", "pattern"],
  number: OF_NUMBERS,
  integer: OF_NUMBERS,
};
/** Types of the values of an `enum`, where the schema states one beside it. */
const OF_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  // A boolean is a number in Python, in which this was written for the model.
  number: (value) => typeof value === "number" || typeof value === "boolean",
  integer: (value) => Number.isInteger(value) || typeof value === "boolean",
  boolean: (value) => typeof value === "boolean",
};

/**
 * Declares tools as TypeScript-like types, as Kimi K2.5 and its successors were trained to read them. The fields of an object are
 * sorted, those it requires in front.
 *
 * @throws ValidationError for schemas that have no such type: `oneOf`, `allOf`, `const`, references outside `$defs`, and an `enum` of other
 *   values than its type has
 */
export function kimiToolTypes(tools: readonly ToolDeclaration[]): string {
  return `# Tools\n\n## functions\nnamespace functions {\n${tools.map(completeTool).flatMap(declaration).join("\n")}\n}\n`;
}

function declaration({ name, description, parameters }: ToolDeclaration): string[] {
  const schema: Schema = new Map(jsonEntries(parameters));
  const definitions = new Map(jsonEntries(schema.get("$defs")));
  const spot = { indent: "", path: ["tools", name, "parameters"], definitions };
  return [
    ...[...definitions].flatMap(([defined, value]) => [
      ...aboutLines(value, ""),
      `interface ${defined} ${typeText(value, below(spot, "$defs", defined))}`,
    ]),
    ...descriptionLines(description, ""),
    `type ${name} = (_: ${objectText(schema, spot)}) => any;`,
  ];
}

function typeText(value: unknown, spot: Spot): string {
  if (value === false) return "null";
  const schema: Schema = new Map(jsonEntries(value));
  if (schema.has("$ref")) return referenceText(schema.get("$ref"), spot);
  const [choices, values, type] = [schema.get("anyOf"), schema.get("enum"), schema.get("type")];
  if (Array.isArray(choices)) return choices.map((choice) => typeText(choice, spot)).join(" | ");
  if (Array.isArray(values)) return enumText(values, type, spot);
  if (Array.isArray(type)) return type.map(typeName).join(" | ");
  if (type === "object") return objectText(schema, spot);
  if (type === "array") return arrayText(schema.get("items"), spot);
  if (type === "integer") return "number";
  if (type !== undefined) return String(type);
  const untyped = [...schema.keys()].find((key) => !["description", "default", "title"].includes(key));
  if (untyped === undefined) return "any";
  throw unsupported(`a schema with ${JSON.stringify(untyped)} and no type`, spot);
}

function enumText(values: readonly unknown[], type: unknown, spot: Spot): string {
  const [stated, ...others] =
    Array.isArray(type) && type.length > 1 ? type.filter((one) => one !== "null") : [type].flat();
  if (others.length > 0) throw unsupported("an enum of several types", spot);
  const isOfType = OF_TYPE[String(stated)] ?? (() => true);
  const wrong = values.find((value) => value !== null && !isOfType(value));
  if (wrong !== undefined) throw unsupported(`an enum of type ${stated} with ${JSON.stringify(wrong)}`, spot);
  return values.map(literalText).join(" | ");
}

function objectText(schema: Schema, spot: Spot): string {
  const required = schema.get("required");
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const inner = { ...spot, indent: spot.indent + INDENT };
  const fields = (jsonEntries(schema.get("properties")) ?? [])
    .toSorted(([a], [b]) => Number(isRequired(b)) - Number(isRequired(a)) || (a < b ? -1 : 1))
    .map(([name, field]) =>
      [
        ...aboutLines(field, inner.indent),
        ...constraintLines(field, inner.indent),
        ...defaultLines(field, inner.indent),
        `${inner.indent}${name}${isRequired(name) ? "" : "?"}: ${typeText(field, below(inner, name))}`,
      ].join("\n"),
    );
  const further = schema.get("additionalProperties");
  if (further !== undefined && further !== null) {
    const type = further === false ? "never" : typeText(further, below(inner, "additionalProperties"));
    fields.push(`${inner.indent}[k: string]: ${type}`);
  }
  return fields.length === 0 ? "{}" : `{\n${fields.join(",\n")}\n${spot.indent}}`;
}

function arrayText(items: unknown, spot: Spot): string {
  const inner = spot.indent + INDENT;
  const remarks = [...aboutLines(items, inner), ...constraintLines(items, inner)];
  if (remarks.length === 0)
    return `Array<${items === undefined || items === false ? "any" : typeText(items, below(spot, "items"))}>`;
  const item = typeText(items, below({ ...spot, indent: inner }, "items"));
  return `Array<\n${remarks.join("\n")}\n${inner}${item}\n${spot.indent}>`;
}

function aboutLines(value: unknown, indent: string): string[] {
  const description = new Map(jsonEntries(value)).get("description");
  return typeof description === "string" ? descriptionLines(description, indent) : [];
}

/** The bounds of a value, in one line. Unions, enums and references have none. */
function constraintLines(value: unknown, indent: string): string[] {
  const schema: Schema = new Map(jsonEntries(value));
  const type = schema.get("type");
  const names = typeof type === "string" && Object.hasOwn(CONSTRAINTS, type) ? CONSTRAINTS[type] : undefined;
  if (names === undefined || ["$ref", "anyOf", "enum"].some((name) => schema.has(name))) return [];
  const told = names
    .filter((name) => schema.has(name))
    .map((name) => `${name}: ${pythonText(schema.get(name))}`);
  return told.length === 0 ? [] : [`${indent}// ${told.join(", ")}`];
}

function defaultLines(value: unknown, indent: string): string[] {
  const standard = new Map(jsonEntries(value)).get("default");
  return standard === undefined || standard === null ? [] : [`${indent}// Default: ${defaultText(standard)}`];
}

function descriptionLines(description: string, indent: string): string[] {
  if (description === "") return [];
  return description.split("\n").map((line) => (line === "" ? "" : `${indent}// ${line}`));
}

function defaultText(value: unknown): string {
  return typeof value === "boolean" ? pythonText(value) : writeJson(value);
}

function literalText(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : pythonText(value);
}

function typeName(type: unknown): string {
  return TYPE_NAMES[String(type)] ?? String(type);
}

function referenceText(reference: unknown, spot: Spot): string {
  const name = /^#\/\$defs\/([^/]+)$/.exec(String(reference))?.[1];
  if (name !== undefined && spot.definitions.has(name)) return name;
  throw unsupported(`the reference ${JSON.stringify(reference)}`, spot);
}

function below(spot: Spot, ...names: readonly string[]): Spot {
  return { ...spot, path: [...spot.path, ...names] };
}

function unsupported(what: string, { path }: Spot): ValidationError {
  return new ValidationError(
    `${path.join(".")} has ${what}, which the declarations of Kimi cannot say; use type, anyOf, enum or a reference to "#/$defs/NAME"`,
    { path },
  );
}
