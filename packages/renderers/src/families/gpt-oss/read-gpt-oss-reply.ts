import type { ContentPart, ToolCall, UnparsedToolCall } from "../../messages/message.js";
import type { ReadMessage } from "../../replies/reply.js";
import { countOf } from "../../replies/unclosed-call.js";
import { readJson } from "../../text/json-value.js";
import { strip } from "../../text/strip-text.js";

const MESSAGE = "<|message|>";
const START = "<|start|>";
const ENDS = ["<|end|>", "<|call|>", "<|return|>"];
const TO_FUNCTION = "to=functions.";

/** One message of a response. */
interface HarmonyMessage {
  readonly header: string;
  readonly body: string;
  readonly raw_text: string;
}

/** The messages of a response, in order. Text between the end of one and the start of the next is in none of them. */
function* messagesOf(text: string): Generator<HarmonyMessage, void> {
  let position = 0;
  // Each mark is looked for once in each part of the text, however many messages there are.
  let ends = ENDS.map((mark) => ({ mark, at: -1 }));
  for (;;) {
    const message = text.indexOf(MESSAGE, position);
    if (message === -1) return;
    const start = position + Math.max(0, text.slice(position, message).lastIndexOf(START));
    const bodyStart = message + MESSAGE.length;
    ends = ends
      .map(({ mark, at }) => ({ mark, at: at < bodyStart ? text.indexOf(mark, bodyStart) : at }))
      .filter(({ at }) => at !== -1);
    const [first] = ends.toSorted((left, right) => left.at - right.at);
    const end = first?.at ?? text.length;
    position = end + (first?.mark.length ?? 0);
    yield {
      header: text.slice(start, message),
      body: text.slice(bodyStart, end),
      raw_text: text.slice(start, position),
    };
  }
}

/**
 * Reads what a GPT-OSS model wrote: several messages, of which those on the channel `analysis` are thinking and those to a function
 * are calls. Where there is none of them, the text stays as it is.
 */
export function readGptOssReply(text: string): ReadMessage {
  const content: ContentPart[] = [];
  const calls: ToolCall[] = [];
  const unparsed: UnparsedToolCall[] = [];
  for (const { header, body, raw_text } of messagesOf(text)) {
    if (strip(body) === "") continue;
    const channel = /<\|channel\|>([^<\s]+)/.exec(header)?.[1];
    const name = /to=([^\s<]+)/.exec(header)?.[1];
    if (name?.startsWith("functions.") === true) {
      if (readJson(body) === undefined) unparsed.push({ raw_text, error: "its arguments are not JSON" });
      else calls.push(functionOf(name.slice("functions.".length), strip(body)));
    } else if (channel === "analysis") content.push({ type: "thinking", thinking: body });
    else if (channel === "final" || channel === "commentary") content.push({ type: "text", text: body });
  }
  if (countOf(text, TO_FUNCTION) > calls.length + unparsed.length) {
    const raw_text = text.slice(Math.max(0, text.lastIndexOf(START)));
    unparsed.push({ raw_text, error: "it calls a function without arguments" });
  }
  return {
    content: content.length > 0 ? content : text,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(unparsed.length > 0 && { unparsed_tool_calls: unparsed }),
  };
}

function functionOf(name: string, args: string): ToolCall {
  return { type: "function", id: null, function: { name, arguments: args } };
}
