import type { ToolCall, UnparsedToolCall } from "../../messages/message.js";
import { findBlocks } from "../../replies/find-blocks.js";
import { readTaggedReply } from "../../replies/read-tagged-reply.js";
import type { ReadMessage } from "../../replies/reply.js";
import { strip, stripEnd } from "../../text/strip-text.js";

/** The tokens around calls of tools. */
export const DEEPSEEK_CALLS = {
  open: "<｜tool▁calls▁begin｜>",
  callOpen: "<｜tool▁call▁begin｜>",
  separator: "<｜tool▁sep｜>",
  callClose: "<｜tool▁call▁end｜>",
  close: "<｜tool▁calls▁end｜>",
} as const;

const { open, callOpen, separator, callClose, close } = DEEPSEEK_CALLS;
const SECTION = { open, close };
const CALL = { open: callOpen, close: callClose };

/**
 * Reads what a DeepSeek V3 model wrote. Where its prompt opened the thinking block, one that it only closes has been opened.
 */
export function readDeepseekV3Reply(text: string, isThinking: boolean): ReadMessage {
  const [section] = findBlocks(text, [SECTION]);
  const calls = Array.from(findBlocks(section?.inner ?? "", [CALL]), ({ inner }) => readCall(inner));
  const isCut = section === undefined && text.includes(open);
  const shown =
    section === undefined ? text : strip(stripEnd(text.slice(0, section.start)) + text.slice(section.end));
  const opened =
    isThinking && shown.includes("</think>") && !shown.includes("<think>") ? `<think>${shown}` : shown;
  const tool_calls = calls.flatMap((call) => ("function" in call ? [call] : []));
  const unparsed = calls.flatMap((call) => ("error" in call ? [call] : []));
  if (isCut)
    unparsed.push({ raw_text: text.slice(text.indexOf(open)), error: `There is no ${close} behind it` });
  return {
    content: readTaggedReply(opened, { isPadded: false }).content,
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(unparsed.length > 0 && { unparsed_tool_calls: unparsed }),
  };
}

function readCall(inner: string): ToolCall | UnparsedToolCall {
  const raw_text = callOpen + inner + callClose;
  const [name = "", args] = inner.split(separator);
  if (args === undefined) return { raw_text, error: `It has no ${separator} between name and arguments` };
  try {
    JSON.parse(args);
  } catch (cause) {
    return {
      raw_text,
      error: `Its arguments are not JSON: ${cause instanceof Error ? cause.message : cause}`,
    };
  }
  return { type: "function", id: null, function: { name: strip(name), arguments: strip(args) } };
}
