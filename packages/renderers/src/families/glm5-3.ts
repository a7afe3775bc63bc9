import { refuseImages } from "../images/refuse-images.js";
import type { Layout, Place, RenderedMessage } from "../layout/layout.js";
import { checkKnownRole } from "../messages/check-known-role.js";
import { refusal } from "../messages/check-messages.js";
import type { Message, Role, ToolCall, ToolDeclaration } from "../messages/message.js";
import { hasThinking, textOf, thinkingOf } from "../messages/message-content.js";
import type { Piece } from "../pieces/piece.js";
import { given, type TextRun } from "../pieces/text-run.js";
import { readTaggedReply } from "../replies/read-tagged-reply.js";
import type { ReadMessage } from "../replies/reply.js";
import { createTextReader } from "../replies/text-reader.js";
import type { JsonValue } from "../text/json-value.js";
import { strip } from "../text/strip-text.js";
import { writeJson } from "../text/write-json.js";
import { argumentsOf, checkCallArguments } from "../tool-calls/call-arguments.js";
import { functionCall, readValue } from "../tool-calls/function-tags.js";
import { readJsonCall } from "../tool-calls/json-tool-call.js";
import { orderResults } from "./order-results.js";

const OPEN = "<think>";
const CLOSE = "</think>";
/** The token of each role. There is no token for the end of a message: that of the next role ends it. */
const ROLE_TOKENS: Readonly<Record<string, string>> = {
  system: "<|system|>",
  user: "<|user|>",
  assistant: "<|assistant|>",
  tool: "<|observation|>",
};
const END_OF_TEXT = "<|endoftext|>";

/**
 * GLM-5.3. A model ends its message by writing the token of who speaks next, a user or a tool; so that token is trained on as the
 * last one of an assistant's message. Thinking stays in history.
 *
 * Tokens that people spell out become tokens in contents, results, calls, declarations of tools and a prefill, unless the option
 * `literalText` is on.
 */
export function glm53Layout(effort: "Max" | "High" | "Low"): Layout {
  return {
    hasExtensionProperty: true,
    checkMessage,
    arrange: sortResults,
    prelude: () => [{ text: `[gMASK]<sop><|system|>Reasoning Effort: ${effort}` }],
    render,
    opening,
    declareTools,
    instructions: [TOOLS_TAIL],
    reply: {
      stop: { tokens: ["<|user|>", "<|observation|>", END_OF_TEXT] },
      opening: OPEN,
      read: readGlmReply,
      endOfText: END_OF_TEXT,
      streaming: { startsInThinking: true },
    },
  };
}

function checkMessage(message: Message, index: number): void {
  checkKnownRole(message, index, Object.keys(ROLE_TOKENS), "GLM-5.3");
  refuseImages(message, index);
  if (message.role !== "assistant" && hasThinking(message.content)) {
    throw refusal(index, "thinks, and only the assistant does", "make a text part of it");
  }
  checkCallArguments(message, index);
}

function render({ message, previous, next }: Place): RenderedMessage {
  const token = ROLE_TOKENS[message.role] ?? "";
  if (message.role === "assistant") {
    const end = endOf(message);
    return {
      header: [{ text: token + OPEN }],
      output: [{ text: [...produced(message), next?.role === end.role ? end.token : ""] }],
      stopOverlap: [{ text: end.token }],
    };
  }
  const isIntroduced =
    (previous?.role === "assistant" && endOf(previous).role === message.role) ||
    (previous?.role === "tool" && message.role === "tool");
  const text = given(textOf(message.content));
  return {
    header: isIntroduced ? [] : [{ text: token }],
    output: [{ text: message.role === "tool" ? ["<tool_response>", text, "</tool_response>"] : [text] }],
  };
}

/** The speaker behind a message of the assistant, as far as it can know. */
function endOf({ tool_calls = [] }: Message): { readonly role: Role; readonly token: string } {
  return tool_calls.length > 0
    ? { role: "tool", token: "<|observation|>" }
    : { role: "user", token: "<|user|>" };
}

function opening(role: Role): Piece[] {
  return [{ text: `${ROLE_TOKENS[role] ?? ""}${role === "assistant" ? OPEN : ""}` }];
}

/** The text that the model writes behind `<think>`. */
function produced(message: Message): TextRun[] {
  const [thinking, text] = splitThinking(message.content);
  return [given(thinking), CLOSE, given(strip(text)), ...(message.tool_calls ?? []).flatMap(writeCall)];
}

/** Thinking and text of a content. A string is cut at its tags as the model's template cuts it. */
function splitThinking(content: Message["content"]): [thinking: string, text: string] {
  if (typeof content !== "string") return [thinkingOf(content), textOf(content)];
  if (!content.includes(CLOSE)) return ["", content];
  const [before = "", ...behind] = content.split(CLOSE);
  return [before.split(OPEN).at(-1) ?? "", behind.at(-1) ?? ""];
}

function writeCall(call: ToolCall): TextRun[] {
  const values = [...argumentsOf(call)].flatMap(([name, value]): TextRun[] => [
    "<arg_key>",
    given(name),
    "</arg_key><arg_value>",
    given(valueText(value)),
    "</arg_value>",
  ]);
  return ["<tool_call>", given(call.function.name), ...values, "</tool_call>"];
}

function valueText(value: JsonValue): string {
  return typeof value === "string" ? value : writeJson(value);
}

/** Reads text, thinking and calls, which may stand anywhere in the text. */
export function readGlmReply(text: string): ReadMessage {
  return readTaggedReply(text, { isPadded: false, readCall, ignoresOpenCalls: true });
}

const KEY_OPEN = "<arg_key>";
const KEY_END = /<\/arg_key>\s*<arg_value>/g;
const VALUE_END = "</arg_value>";

/** Letters of all alphabets, as in Python's patterns. */
const NAME = /^[\p{L}\p{N}_.-]+$/u;

function readCall(body: string): ToolCall {
  if (strip(body).startsWith("{")) return readJsonCall(body);
  const start = body.indexOf(KEY_OPEN);
  const name = strip(start === -1 ? body : body.slice(0, start));
  if (!NAME.test(name)) throw new Error("it has no name");
  const values = new Map<string, JsonValue>();
  const reader = createTextReader(start === -1 ? "" : body.slice(start));
  while (!reader.isAtEnd()) {
    const key = reader.take(KEY_OPEN) ? reader.takeUntil(KEY_END) : undefined;
    const value = reader.takeUntil(VALUE_END);
    if (key === undefined || value === undefined) {
      throw new Error("there is text in it that is no <arg_key> with an <arg_value>");
    }
    reader.skipSpace();
    if (strip(key) === "") throw new Error("there is an <arg_key> in it that is empty");
    values.set(strip(key), readValue(value));
  }
  return functionCall(name, values);
}

/** Puts the results behind a message that calls in the order of its calls. */
function sortResults(messages: readonly Message[]): readonly Message[] {
  const sorted = [...messages];
  for (const [index, { tool_calls = [] }] of messages.entries()) {
    let end = index + 1;
    while (messages[end]?.role === "tool") end += 1;
    const results = messages.slice(index + 1, end);
    if (tool_calls.length > 0) sorted.splice(index + 1, results.length, ...orderResults(results, tool_calls));
  }
  return sorted;
}

const TOOLS_TAIL = `
</tools>

For each function call, output the function name and arguments within the following XML format:
<tool_call>{function-name}<arg_key>{arg-key-1}</arg_key><arg_value>{arg-value-1}</arg_value><arg_key>{arg-key-2}</arg_key><arg_value>{arg-value-2}</arg_value>...</tool_call>`;

function declareTools(tools: readonly ToolDeclaration[], systemPrompt: string): Message[] {
  const content = `
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
${tools.map((tool) => writeJson(tool)).join("\n")}${TOOLS_TAIL}`;
  return [
    { role: "system", content },
    ...(systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt }]),
  ];
}
