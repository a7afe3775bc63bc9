import type { ContentPart, ToolCall, UnparsedToolCall } from "./message.js";
import type { ReadMessage } from "./reply.js";

/** How a family with `<think>` and `<tool_call>` tags writes what stands in them. */
export interface TagRules {
  /**
   * Whether the tags have the blank lines around them that the Qwen3 template writes: they are not part of the thinking and the
   * text, and an empty block is no thinking.
   */
  readonly padded: boolean;
  /**
   * Reads what stands between `<tool_call>` and `</tool_call>`.
   * @throws Error saying why it is no call
   */
  readonly readCall: (text: string) => ToolCall;
}

/** Nobody reads more of why a call is none. */
const LONGEST_ERROR = 16_384;

const BLOCK = /<think>([\s\S]*?)<\/think>|<tool_call>([\s\S]*?)<\/tool_call>/g;

/**
 * Reads text with `<think>` and `<tool_call>` tags. Calls leave the content, readable or not. A tag that is never closed stays
 * text. Content without tags stays a string.
 */
export function readTaggedReply(text: string, { padded, readCall }: TagRules): ReadMessage {
  if (!text.includes("<think>") && !text.includes("<tool_call>")) return { content: text };
  const content: ContentPart[] = [];
  const calls: ToolCall[] = [];
  const unparsed: UnparsedToolCall[] = [];
  let position = 0;
  let followsThinking = false;
  const addText = (end: number) => {
    const between = text.slice(position, end);
    const shown = padded && followsThinking ? between.replace(/^\n{1,2}/, "") : between;
    if (shown !== "") content.push({ type: "text", text: shown });
  };
  for (const { 0: block, 1: thinking, 2: call = "", index } of text.matchAll(BLOCK)) {
    addText(index);
    if (thinking === undefined) {
      const read = attempt(() => readCall(call));
      if ("error" in read) unparsed.push({ raw_text: block, error: read.error });
      else calls.push(read.value);
    } else {
      const inner = padded ? thinking.replace(/^\n/, "").replace(/\n$/, "") : thinking;
      if (inner !== "") content.push({ type: "thinking", thinking: inner });
    }
    position = index + block.length;
    followsThinking = thinking !== undefined;
  }
  addText(text.length);
  const unclosed = text.indexOf("<tool_call>", position);
  if (unclosed !== -1) {
    unparsed.push({ raw_text: text.slice(unclosed), error: "There is no </tool_call> behind it" });
  }
  return {
    content,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(unparsed.length > 0 && { unparsed_tool_calls: unparsed }),
  };
}

function attempt<Value>(read: () => Value): { readonly value: Value } | { readonly error: string } {
  try {
    return { value: read() };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { error: reason.slice(0, LONGEST_ERROR) };
  }
}
