import type { Message, ToolDeclaration } from "../../messages/message.js";
import { writeJson } from "../../text/write-json.js";

/** Shows the model how to write a call, in the tokens of calls. */
export const QWEN3_CALL_FORMAT = `For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>`;

/** Tells a Qwen3 model of its tools, behind the system prompt. */
export function declareQwen3Tools(tools: readonly ToolDeclaration[], systemPrompt: string): Message[] {
  const declarations = tools.map(({ name, description, parameters }) =>
    writeJson({ type: "function", function: { name, description, parameters } }, { asciiOnly: true }),
  );
  const content = [
    ...(systemPrompt === "" ? [] : [systemPrompt, ""]),
    "# Tools",
    "",
    "You may call one or more functions to assist with the user query.",
    "",
    "You are provided with function signatures within <tools></tools> XML tags:",
    "<tools>",
    ...declarations,
    "</tools>",
    "",
    QWEN3_CALL_FORMAT,
  ];
  return [{ role: "system", content: content.join("\n") }];
}
