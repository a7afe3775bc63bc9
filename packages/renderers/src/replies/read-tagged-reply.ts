import type { ContentPart, ToolCall, UnparsedToolCall } from "../messages/message.js";
import { strip, stripStart } from "../text/strip-text.js";
import { findBlocks } from "./find-blocks.js";
import type { ReadMessage } from "./reply.js";
import { unclosedCall } from "./unclosed-call.js";

/** Form in which a family with `<think>` and `<tool_call>` tags writes what stands in them. */
export interface TagRules {
  /**
   * True where the tags have line breaks around them that are the layout's: those are not part of the thinking, nor of the text
   * behind it, and an empty block is no thinking.
   */
  readonly isPadded: boolean;
  /**
   * Takes a block of nothing at all for one, too, whose line breaks are the layout's: for prompts that open the block, which a model then
   * opens again. @defaultValue true
   */
  readonly keepsNothing?: boolean;
  /**
   * Reads what stands between `<tool_call>` and `</tool_call>`. Left out: the tags are text.
   * @throws Error saying why it is no call
   */
  readonly readCall?: (text: string) => ToolCall;
  /** Leaves a `<tool_call>` that is never closed as text alone, and does not name it an unparsed call. @defaultValue false */
  readonly ignoresOpenCalls?: boolean;
}

/** Nobody reads more of why a call is none. */
const MAX_ERROR_LENGTH = 16_384;

const THINKING = { open: "<think>", close: "</think>" };
const CALL = { open: "<tool_call>", close: "</tool_call>" };

/**
 * Reads text with `<think>` and `<tool_call>` tags. Calls leave the content, readable or not. A tag that is never closed stays
 * text. Content without tags stays a string.
 */
export function readTaggedReply(
  text: string,
  { isPadded, keepsNothing = true, readCall, ignoresOpenCalls = false }: TagRules,
): ReadMessage {
  const hasCalls = readCall !== undefined && text.includes(CALL.open);
  if (!text.includes(THINKING.open) && !hasCalls) return { content: text };
  const content: ContentPart[] = [];
  const calls: ToolCall[] = [];
  const unparsed: UnparsedToolCall[] = [];
  let position = 0;
  let followsThinking = false;
  let outsideThinking = "";
  const addText = (end: number) => {
    if (end === position) return;
    const between = text.slice(position, end);
    // As recorded, text of which nothing is left stays as an empty part.
    content.push({ type: "text", text: isPadded && followsThinking ? stripStart(between, "\n") : between });
    followsThinking = false;
  };
  for (const { tags, inner, start, end } of findBlocks(text, hasCalls ? [THINKING, CALL] : [THINKING])) {
    addText(start);
    if (tags === CALL && readCall !== undefined) {
      const read = attempt(() => readCall(inner));
      if ("error" in read) unparsed.push({ raw_text: text.slice(start, end), error: read.error });
      else calls.push(read.value);
    } else {
      const thinking = isPadded ? strip(inner, "\n") : inner;
      if (thinking !== "") content.push({ type: "thinking", thinking });
    }
    outsideThinking += text.slice(position, tags === THINKING ? start : end);
    position = end;
    // Calls between them leave the content, so that the next text still follows the thinking.
    followsThinking ||= tags === THINKING && (keepsNothing || inner !== "");
  }
  addText(text.length);
  outsideThinking += text.slice(position);
  const unclosed = hasCalls && !ignoresOpenCalls ? unclosedCall(outsideThinking, [CALL]) : undefined;
  if (unclosed !== undefined) unparsed.push(unclosed);
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
    return { error: reason.slice(0, MAX_ERROR_LENGTH) };
  }
}
