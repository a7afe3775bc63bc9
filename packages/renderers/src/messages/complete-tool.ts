import type { ToolDeclaration } from "./message.js";

/**
 * Fills in what a declaration may lack, for layouts that write it as text: OpenAI's API asks for neither a description nor parameters.
 * Layouts that write JSON leave such a field out, as chat templates do.
 */
export function completeTool(tool: ToolDeclaration): ToolDeclaration {
  const { description, parameters }: Partial<ToolDeclaration> = tool;
  return { ...tool, description: description ?? "", parameters: parameters ?? NO_PARAMETERS };
}

const NO_PARAMETERS = { type: "object", properties: {} };
