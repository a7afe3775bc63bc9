import type { ContentPart, ToolCall, UnparsedToolCall } from "../../messages/message.js";
import type { ReadMessage } from "../../replies/reply.js";

const MESSAGE = "<|message|>";

/**
 * Reads what a GPT-OSS model wrote: several messages, of which those on the channel `analysis` are thinking and those to a function
 * are calls. What is in none of them stays as it is.
 */
export function readGptOssReply(text: string): ReadMessage {
  const content: ContentPart[] = [];
  const calls: ToolCall[] = [];
  const unparsed: UnparsedToolCall[] = [];
  for (const raw_text of text.split(/(?=<\|start\|>)/)) {
    const at = raw_text.indexOf(MESSAGE);
    if (at === -1) continue;
    const header = raw_text.slice(0, at);
    const body = raw_text.slice(at + MESSAGE.length).replace(/<\|end\|>$/, "");
    const name = /to=functions\.([^\s<]+)/.exec(header)?.[1];
    if (name !== undefined) {
      const error = jsonFault(body);
      if (error === undefined) {
        calls.push({ type: "function", id: null, function: { name, arguments: body } });
      } else unparsed.push({ raw_text, error });
    } else if (header.includes("<|channel|>analysis")) {
      content.push({ type: "thinking", thinking: body });
    } else {
      content.push({ type: "text", text: body });
    }
  }
  return {
    content: content.length > 0 ? content : text,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(unparsed.length > 0 && { unparsed_tool_calls: unparsed }),
  };
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (cause) {
    return `Its arguments are not JSON: ${cause instanceof Error ? cause.message : cause}`;
  }
}
