import type { ToolCall, UnparsedToolCall } from "../../messages/message.js";
import { readTaggedReply } from "../../replies/read-tagged-reply.js";
import type { ReadMessage } from "../../replies/reply.js";
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

/** Reads text, thinking and the section of calls behind them. A section that is never closed stays text. */
export function readKimiReply(text: string): ReadMessage {
  const start = text.indexOf(KIMI_CALLS.open);
  if (start === -1) return readThinking(text);
  const end = text.indexOf(KIMI_CALLS.close, start);
  if (end === -1) {
    const raw = { raw_text: text.slice(start), error: "The section of calls is never closed" };
    return { ...readThinking(text), unparsed_tool_calls: [raw] };
  }
  const calls: ToolCall[] = [];
  const unparsed: UnparsedToolCall[] = [];
  const [, ...bodies] = text.slice(start, end).split(KIMI_CALLS.callOpen);
  for (const body of bodies) {
    const call = readCall(body);
    if ("error" in call) unparsed.push({ raw_text: KIMI_CALLS.callOpen + body, error: call.error });
    else calls.push(call);
  }
  return {
    ...readThinking(text.slice(0, start)),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(unparsed.length > 0 && { unparsed_tool_calls: unparsed }),
  };
}

function readThinking(text: string): ReadMessage {
  return readTaggedReply(text, { isPadded: false });
}

function readCall(body: string): ToolCall | { readonly error: string } {
  const [call = "", ...behind] = body.split(KIMI_CALLS.callClose);
  if (behind.length === 0) return { error: "The call is never closed" };
  const [id = "", args] = call.split(KIMI_CALLS.argumentsOpen).map((part) => strip(part));
  if (args === undefined) return { error: "it has no arguments" };
  const name = /^(?:functions\.)?(.+):\d+$/.exec(id)?.[1];
  if (name === undefined) return { error: "Its id is not such as functions.NAME:0" };
  if (readJson(args) === undefined) return { error: "Its arguments are not JSON" };
  return { type: "function", id, function: { name, arguments: args } };
}
