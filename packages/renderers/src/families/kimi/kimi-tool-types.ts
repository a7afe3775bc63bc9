import { ValidationError } from "@tinkex/base";
import type { ToolDeclaration } from "../../messages/message.js";
import { jsonEntries, pythonText, writeJson } from "../../text/write-json.js";

type Schema = ReadonlyMap<string, unknown>;

/** A schema inside the declaration of a tool: how far its lines are indented, and where it stands, for errors. */
interface Spot {
  readonly indent: string;
  readonly path: readonly string[];
}

const INDENT = "  ";
const TYPE_NAMES: Readonly<Record<string, string>> = { integer: "number", array: "Array<any>", object: "{}" };
const CONSTRAINTS = ["maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "pattern"];

/**
 * Declares tools as TypeScript-like types, as Kimi K2.5 and its successors were trained to read them. The fields of an object are
 * sorted, those it requires in front.
 *
 * @throws ValidationError for schemas that have no such type: `oneOf`, `allOf`, `const` and references outside `$defs`
 */
export function kimiToolTypes(tools: readonly ToolDeclaration[]): string {
  return `# Tools\n\n## functions\nnamespace functions {\n${tools.flatMap(declaration).join("\n")}\n}\n`;
}

function declaration({ name, description, parameters }: ToolDeclaration): string[] {
  const schema: Schema = new Map(jsonEntries(parameters));
  const definitions = jsonEntries(schema.get("$defs")) ?? [];
  const spot = { indent: "", path: ["tools", name, "parameters"] };
  return [
    ...definitions.flatMap(([defined, value]) => [
      ...comments(value, ""),
      `interface ${defined} ${typeText(value, below(spot, "$defs", defined))}`,
    ]),
    ...descriptionLines(description, ""),
    `type ${name} = (_: ${objectText(schema, spot)}) => any;`,
  ];
}

function typeText(value: unknown, spot: Spot): string {
  const schema: Schema = new Map(jsonEntries(value));
  if (schema.has("$ref")) return referenceText(schema.get("$ref"), spot);
  const [choices, values, type] = [schema.get("anyOf"), schema.get("enum"), schema.get("type")];
  if (Array.isArray(choices)) return choices.map((choice) => typeText(choice, spot)).join(" | ");
  if (Array.isArray(values)) return values.map(literalText).join(" | ");
  if (Array.isArray(type)) return type.map(typeName).join(" | ");
  if (type === "object") return objectText(schema, spot);
  if (type === "array") return arrayText(schema.get("items"), spot);
  if (type !== undefined) return typeName(type);
  const untyped = [...schema.keys()].find((key) => !["description", "default", "title"].includes(key));
  if (untyped === undefined && value !== false) return "any";
  throw unsupported(`a schema with ${JSON.stringify(untyped ?? false)} and no type`, spot);
}

function objectText(schema: Schema, spot: Spot): string {
  const required = schema.get("required");
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const inner = { ...spot, indent: spot.indent + INDENT };
  const fields = (jsonEntries(schema.get("properties")) ?? [])
    .toSorted(([a], [b]) => Number(isRequired(b)) - Number(isRequired(a)) || (a < b ? -1 : 1))
    .map(([name, field]) =>
      [
        ...comments(field, inner.indent),
        `${inner.indent}${name}${isRequired(name) ? "" : "?"}: ${typeText(field, below(inner, name))}`,
      ].join("\n"),
    );
  const further = schema.get("additionalProperties");
  if (further !== undefined) {
    const type = further === false ? "never" : typeText(further, below(inner, "additionalProperties"));
    fields.push(`${inner.indent}[k: string]: ${type}`);
  }
  return fields.length === 0 ? "{}" : `{\n${fields.join(",\n")}\n${spot.indent}}`;
}

function arrayText(items: unknown, spot: Spot): string {
  const inner = spot.indent + INDENT;
  const remarks = comments(items, inner);
  if (remarks.length === 0)
    return `Array<${items === undefined ? "any" : typeText(items, below(spot, "items"))}>`;
  const item = typeText(items, below({ ...spot, indent: inner }, "items"));
  return `Array<\n${remarks.join("\n")}\n${inner}${item}\n${spot.indent}>`;
}

/** Lines for what a schema says beside the type. */
function comments(value: unknown, indent: string): string[] {
  const schema: Schema = new Map(jsonEntries(value));
  const description = schema.get("description");
  const constraints = CONSTRAINTS.filter((name) => schema.has(name)).map(
    (name) => `${name}: ${pythonText(schema.get(name))}`,
  );
  const standard = schema.get("default");
  return [
    ...(typeof description === "string" ? descriptionLines(description, indent) : []),
    ...(constraints.length === 0 ? [] : [`${indent}// ${constraints.join(", ")}`]),
    ...(standard === undefined || standard === null ? [] : [`${indent}// Default: ${defaultText(standard)}`]),
  ];
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
  if (name !== undefined) return name;
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
