import type { ToolCall, UnparsedToolCall } from "../../messages/message.js";
import { findBlocks } from "../../replies/find-blocks.js";
import { readTaggedReply } from "../../replies/read-tagged-reply.js";
import type { ReadMessage } from "../../replies/reply.js";
import { unclosedCall } from "../../replies/unclosed-call.js";
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

/** Reads what a DeepSeek V3 model wrote. A section without any call stays text. */
export function readDeepseekV3Reply(text: string): ReadMessage {
  const [section] = findBlocks(text, [SECTION]);
  const calls = Array.from(findBlocks(section?.inner ?? "", [CALL]), ({ inner }) => readCall(inner));
  const tool_calls = calls.flatMap((call) => ("function" in call ? [call] : []));
  const unparsed = calls.flatMap((call) => ("error" in call ? [call] : []));
  const unclosed = unclosedCall(text, [SECTION, CALL]);
  if (unclosed !== undefined) unparsed.push(unclosed);
  const shown = tool_calls.length + unparsed.length === 0 ? text : withoutSections(text);
  return {
    content: readTaggedReply(shown, { isPadded: false }).content,
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(unparsed.length > 0 && { unparsed_tool_calls: unparsed }),
  };
}

/** The text around the sections of calls, without the white space in front of each. */
function withoutSections(text: string): string {
  let position = 0;
  let shown = "";
  for (const { start, end } of findBlocks(text, [SECTION])) {
    shown += stripEnd(text.slice(position, start));
    position = end;
  }
  return strip(shown + text.slice(position));
}

function readCall(inner: string): ToolCall | UnparsedToolCall {
  const raw_text = callOpen + inner + callClose;
  const [name = "", args] = inner.split(separator);
  if (args === undefined) return { raw_text, error: `it has no ${separator} between name and arguments` };
  if (strip(name) === "") return { raw_text, error: "it has no name" };
  try {
    JSON.parse(args);
  } catch (cause) {
    return {
      raw_text,
      error: `its arguments are not JSON: ${cause instanceof Error ? cause.message : cause}`,
    };
  }
  return { type: "function", id: null, function: { name: strip(name), arguments: strip(args) } };
}
