import { completeTool } from "../../messages/complete-tool.js";
import type { Message, ToolDeclaration } from "../../messages/message.js";
import { writeJson } from "../../text/write-json.js";

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

function declaration(tool: ToolDeclaration): string {
  const { name, description, parameters } = completeTool(tool);
  return [
    ...(description === "" ? [] : [`// ${description}`]),
    `type ${name} = ${parametersText(parameters)} => any;`,
  ].join("\n");
}

function parametersText(parameters: Schema): string {
  const fields = propertiesOf(parameters);
  if (parameters.type !== "object" || fields.length === 0) return "()";
  const { description } = parameters;
  const about = typeof description === "string" && description !== "" ? ` // ${description}` : "";
  const lines = fields.flatMap(({ name, schema, isRequired }) => {
    const fallback = "default" in schema ? ` // default: ${asciiJson(schema.default)}` : "";
    return [...comments(schema), `${name}${isRequired ? "" : "?"}: ${typeText(schema)},${fallback}`];
  });
  return [`(_:${about}`, "{", ...lines, "})"].join("\n");
}

function comments({ title, description, examples }: Schema): string[] {
  return [
    ...(typeof title === "string" && title !== "" ? [title, ""] : []),
    ...(typeof description === "string" && description !== "" ? [description] : []),
    ...(Array.isArray(examples) && examples.length > 0
      ? ["Examples:", ...examples.map((example) => `- ${asciiJson(example)}`)]
      : []),
  ].map((line) => `// ${line}`);
}

function propertiesOf(schema: Schema): { name: string; schema: Schema; isRequired: boolean }[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(isSchema(schema.properties) ? schema.properties : {}).map(([name, property]) => ({
    name,
    schema: isSchema(property) ? property : {},
    isRequired: required.includes(name),
  }));
}

function typeText(schema: Schema): string {
  for (const variants of [schema.oneOf, schema.anyOf]) {
    if (Array.isArray(variants)) return variants.map((one) => typeText(isSchema(one) ? one : {})).join(" | ");
  }
  const { type } = schema;
  if (Array.isArray(type)) return type.map((one) => typeText({ type: one })).join(" | ");
  if (type === "string" && Array.isArray(schema.enum)) return schema.enum.map(asciiJson).join(" | ");
  return `${bareTypeText(schema)}${schema.nullable === true ? " | null" : ""}`;
}

function bareTypeText(schema: Schema): string {
  switch (schema.type) {
    case "string":
    case "boolean":
      return schema.type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return `${typeText(isSchema(schema.items) ? schema.items : {})}[]`;
    case "object": {
      const fields = propertiesOf(schema).map(
        ({ name, schema: field, isRequired }) => `${name}${isRequired ? "" : "?"}: ${typeText(field)}`,
      );
      return `{ ${fields.join(", ")} }`;
    }
    default:
      return "any";
  }
}

function asciiJson(value: unknown): string {
  return writeJson(value, { asciiOnly: true });
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
