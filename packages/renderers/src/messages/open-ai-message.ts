import { checkObject } from "@tinkex/base";
import type { ImagePart, Message, TextPart, ToolCall } from "./message.js";
import { contentParts } from "./message-content.js";

/** A message in the shape of OpenAI's chat API; thinking stands beside the content. */
export interface OpenAiMessage {
  readonly role: string;
  readonly content: string | readonly (TextPart | ImagePart)[];
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

/** Moves the thinking of a message out of its content, to where tools for OpenAI's API look for it. @throws ValidationError for what is no message */
export function toOpenAiMessage(message: Message): OpenAiMessage {
  checkObject(message, "toOpenAiMessage: message", '{ role: "user", content: "Hi" }');
  const { role, content, tool_calls, tool_call_id, name } = message;
  const parts = contentParts(content);
  const thinking = parts.flatMap((part) => (part.type === "thinking" ? [part.thinking] : []));
  const shown = parts.filter((part) => part.type !== "thinking");
  const isText = shown.every((part) => part.type === "text");
  return {
    role,
    content: isText ? shown.map((part) => part.text).join("") : shown,
    ...(thinking.length > 0 && { reasoning_content: thinking.join("") }),
    ...(tool_calls !== undefined && { tool_calls }),
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(name !== undefined && { name }),
  };
}
