import type { Message, ToolDeclaration } from "../message.js";

/** The role of messages that are the system's own; a user's system message is the developer's. */
export const INTERNAL_SYSTEM = "_gptoss_internal_system";

type Schema = Readonly<Record<string, unknown>>;

/** Tells a GPT-OSS model of its tools, as a namespace of TypeScript, behind the system prompt. */
export function declareGptOssTools(tools: readonly ToolDeclaration[], systemPrompt: string): Message[] {
  const content = [
    ...(systemPrompt === "" ? [] : ["# Instructions", "", systemPrompt, ""]),
    "# Tools",
    "",
    "## functions",
    "",
    "namespace functions {",
    "",
    ...tools.flatMap((tool) => [declaration(tool), ""]),
    "} // namespace functions",
  ];
  return [
    {
      role: INTERNAL_SYSTEM,
      content: "Calls to these tools must go to the commentary channel: 'functions'.",
    },
    { role: "developer", content: content.join("\n") },
  ];
}

function declaration({ name, description, parameters }: ToolDeclaration): string {
  const fields = propertiesOf(parameters);
  const head = `// ${description}\ntype ${name} = `;
  if (fields.length === 0) return `${head}() => any;`;
  const lines = fields.flatMap((field) => {
    const comment = typeof field.schema.description === "string" ? [`// ${field.schema.description}`] : [];
    const fallback = "default" in field.schema ? ` // default: ${defaultText(field.schema)}` : "";
    return [...comment, `${field.name}${field.isRequired ? "" : "?"}: ${typeText(field.schema)},${fallback}`];
  });
  return [`${head}(_:`, "{", ...lines, "}) => any;"].join("\n");
}

function propertiesOf(schema: Schema): { name: string; schema: Schema; isRequired: boolean }[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(isSchema(schema.properties) ? schema.properties : {}).map(([name, property]) => ({
    name,
    schema: isSchema(property) ? property : {},
    isRequired: required.includes(name),
  }));
}

/** An enum's default stands bare, as its values' names would. */
function defaultText({ default: value, enum: names }: Schema): string {
  return Array.isArray(names) && typeof value === "string" ? value : JSON.stringify(value);
}

function typeText(schema: Schema): string {
  const bare = bareTypeText(schema);
  return schema.nullable === true ? `${bare} | null` : bare;
}

function bareTypeText(schema: Schema): string {
  const { type } = schema;
  if (Array.isArray(type)) return type.map((one) => typeText({ ...schema, type: one })).join(" | ");
  for (const variants of [schema.oneOf, schema.anyOf]) {
    if (Array.isArray(variants)) return variants.map((one) => typeText(isSchema(one) ? one : {})).join(" | ");
  }
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return `${isSchema(schema.items) ? elementText(schema.items) : "any"}[]`;
    case "object":
      return objectText(schema);
    default:
      return "any";
  }
}

function elementText(schema: Schema): string {
  const text = typeText(schema);
  return text.includes(" | ") ? `(${text})` : text;
}

function objectText(schema: Schema): string {
  const fields = propertiesOf(schema);
  if (fields.length === 0) return "object";
  const inner = fields.map(
    ({ name, schema: field, isRequired }) => `${name}${isRequired ? "" : "?"}: ${typeText(field)}`,
  );
  return `{ ${inner.join(", ")} }`;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
