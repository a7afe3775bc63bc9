import { checkObject, describeValue, ValidationError } from "@tinkex/base";
import type { ToolDeclaration } from "./message.js";

/**
 * Checks the declaration of a tool. One in the wrapping of OpenAI's API would be shown to the model as a tool without a name.
 *
 * @param what - the declaration as its caller knows it, e.g. `declareTools: tools[0]`
 * @throws ValidationError
 */
export function checkTool(tool: ToolDeclaration, what: string): void {
  checkObject(tool, what, '{ name: "add", … }');
  if (typeof tool.name === "string") return;
  const isWrapped = "function" in tool;
  const remedy = isWrapped ? "; give what its field function holds: tools.map((tool) => tool.function)" : "";
  throw new ValidationError(`${what}.name must be a string, got ${describeValue(tool.name)}${remedy}`, {
    path: [what, "name"],
  });
}
