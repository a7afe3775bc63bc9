import type { ContentPart, ToolCall, UnparsedToolCall } from "./message.js";
import type { ReadMessage } from "./reply.js";

/** How a family with `<think>` and `<tool_call>` tags writes what stands in them. */
export interface TagRules {
  /**
   * Whether the tags have line breaks around them that are the layout's: those are not part of the thinking, nor of the text
   * behind it, and an empty block is no thinking.
   */
  readonly padded: boolean;
  /**
   * Reads what stands between `<tool_call>` and `</tool_call>`. Left out: the tags are text.
   * @throws Error saying why it is no call
   */
  readonly readCall?: (text: string) => ToolCall;
}

/** Nobody reads more of why a call is none. */
const LONGEST_ERROR = 16_384;

const THINKING = /<think>([\s\S]*?)<\/think>/g;
const THINKING_OR_CALL = new RegExp(`${THINKING.source}|<tool_call>([\\s\\S]*?)</tool_call>`, "g");

/**
 * Reads text with `<think>` and `<tool_call>` tags. Calls leave the content, readable or not. A tag that is never closed stays
 * text. Content without tags stays a string.
 */
export function readTaggedReply(text: string, { padded, readCall }: TagRules): ReadMessage {
  const hasCalls = readCall !== undefined && text.includes("<tool_call>");
  if (!text.includes("<think>") && !hasCalls) return { content: text };
  const content: ContentPart[] = [];
  const calls: ToolCall[] = [];
  const unparsed: UnparsedToolCall[] = [];
  let position = 0;
  let followsThinking = false;
  const addText = (end: number) => {
    if (end === position) return;
    const between = text.slice(position, end);
    // As recorded, text of which nothing is left stays as an empty part.
    content.push({ type: "text", text: padded && followsThinking ? between.replace(/^\n+/, "") : between });
  };
  for (const { 0: block, 1: thinking, 2: call = "", index } of text.matchAll(
    hasCalls ? THINKING_OR_CALL : THINKING,
  )) {
    addText(index);
    if (thinking === undefined && readCall !== undefined) {
      const read = attempt(() => readCall(call));
      if ("error" in read) unparsed.push({ raw_text: block, error: read.error });
      else calls.push(read.value);
    } else if (thinking !== undefined) {
      const inner = padded ? withoutBreaks(thinking) : thinking;
      if (inner !== "") content.push({ type: "thinking", thinking: inner });
    }
    position = index + block.length;
    followsThinking = thinking !== undefined;
  }
  addText(text.length);
  const unclosed = hasCalls ? text.indexOf("<tool_call>", position) : -1;
  if (unclosed !== -1) {
    unparsed.push({ raw_text: text.slice(unclosed), error: "There is no </tool_call> behind it" });
  }
  return {
    content,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(unparsed.length > 0 && { unparsed_tool_calls: unparsed }),
  };
}

/** Without the line breaks around it. */
export function withoutBreaks(text: string): string {
  return text.replace(/^\n+/, "").replace(/\n+$/, "");
}

function attempt<Value>(read: () => Value): { readonly value: Value } | { readonly error: string } {
  try {
    return { value: read() };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { error: reason.slice(0, LONGEST_ERROR) };
  }
}
