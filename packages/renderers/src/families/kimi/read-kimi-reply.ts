import type { ToolCall, UnparsedToolCall } from "../../messages/message.js";
import { findBlocks } from "../../replies/find-blocks.js";
import { readTaggedReply } from "../../replies/read-tagged-reply.js";
import type { ReadMessage } from "../../replies/reply.js";
import { unclosedCall } from "../../replies/unclosed-call.js";
import { readJson } from "../../text/json-value.js";
import { strip } from "../../text/strip-text.js";

/** The tokens around calls of tools in the Kimi family. */
export const KIMI_CALLS = {
  open: "<|tool_calls_section_begin|>",
  close: "<|tool_calls_section_end|>",
  callOpen: "<|tool_call_begin|>",
  argumentsOpen: "<|tool_call_argument_begin|>",
  callClose: "<|tool_call_end|>",
} as const;

const SECTION = { open: KIMI_CALLS.open, close: KIMI_CALLS.close };
/** The same in the singular, which the models write at times. */
const ODD_SECTION = { open: "<|tool_call_section_begin|>", close: "<|tool_call_section_end|>" };
const CALL = { open: KIMI_CALLS.callOpen, close: KIMI_CALLS.callClose };

/** Reads text, thinking and the section of calls behind them. A section that is never closed stays text. */
export function readKimiReply(text: string): ReadMessage {
  const [section] = findBlocks(text, [SECTION, ODD_SECTION]);
  const calls: ToolCall[] = [];
  const unparsed: UnparsedToolCall[] = [];
  for (const { inner } of findBlocks(section?.inner ?? "", [CALL])) {
    const call = readCall(inner);
    if ("error" in call) unparsed.push({ raw_text: CALL.open + inner + CALL.close, error: call.error });
    else calls.push(call);
  }
  const unclosed = unclosedCall(text, [SECTION, ODD_SECTION, CALL]);
  if (unclosed !== undefined) unparsed.push(unclosed);
  return {
    ...readTaggedReply(section === undefined ? text : text.slice(0, section.start), { isPadded: false }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(unparsed.length > 0 && { unparsed_tool_calls: unparsed }),
  };
}

/** An id such as `functions.NAME:0`: the name ends at the first colon, and begins behind the first point before it. */
const ID = /^[^<]+:\d+$/;

function readCall(call: string): ToolCall | { readonly error: string } {
  const at = call.indexOf(KIMI_CALLS.argumentsOpen);
  if (at === -1) return { error: "it has no arguments" };
  const id = strip(call.slice(0, at));
  const args = strip(call.slice(at + KIMI_CALLS.argumentsOpen.length));
  if (!ID.test(id)) return { error: "its id is not such as functions.NAME:0" };
  if (readJson(args) === undefined) return { error: "its arguments are not JSON" };
  const [named = ""] = id.split(":");
  return { type: "function", id, function: { name: named.slice(named.indexOf(".") + 1), arguments: args } };
}
