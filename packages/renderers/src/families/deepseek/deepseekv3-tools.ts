import { completeTool } from "../../messages/complete-tool.js";
import type { Message, ToolDeclaration } from "../../messages/message.js";
import { writeJson } from "../../text/write-json.js";
import { DEEPSEEK_CALLS } from "./read-deepseekv3-reply.js";

const { open, callOpen, separator, callClose, close } = DEEPSEEK_CALLS;

/** Shows the model how to write a call, in the tokens of calls. */
export const DEEPSEEKV3_CALL_FORMAT = `${open}${callOpen}tool_call_name${separator}tool_call_arguments${callClose}${close}`;

/** Tells a DeepSeek V3 model of its tools, behind the system prompt. */
export function declareDeepseekV3Tools(tools: readonly ToolDeclaration[], systemPrompt: string): Message[] {
  const content = [
    systemPrompt,
    "",
    "## Tools",
    "You have access to the following tools:",
    "",
    ...tools
      .map(completeTool)
      .flatMap(({ name, description, parameters }) => [
        `### ${name}`,
        `Description: ${description}`,
        "",
        `Parameters: ${writeJson(parameters, { asciiOnly: true })}`,
      ]),
    "",
    "IMPORTANT: ALWAYS adhere to this exact format for tool use:",
    DEEPSEEKV3_CALL_FORMAT,
    "",
    "Where:",
    "- `tool_call_name` must be an exact match to one of the available tools",
    "- `tool_call_arguments` must be valid JSON that strictly follows the tool's Parameters Schema",
    "- For multiple tool calls, chain them directly without separators or spaces",
  ];
  return [{ role: "system", content: content.join("\n") }];
}
