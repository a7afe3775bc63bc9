import { refuseImages } from "../../images/refuse-images.js";
import type { Layout, Place } from "../../layout/layout.js";
import { refusal } from "../../messages/check-messages.js";
import type { Message, ToolCall } from "../../messages/message.js";
import { hasThinking, onlyText } from "../../messages/message-content.js";
import { given, type TextRun, textOfRuns } from "../../pieces/text-run.js";
import { findBlocks } from "../../replies/find-blocks.js";
import { argumentsText } from "../../tool-calls/json-tool-call.js";
import { DEEPSEEKV3_CALL_FORMAT, declareDeepseekV3Tools } from "./deepseekv3-tools.js";
import { DEEPSEEK_CALLS, readDeepseekV3Reply } from "./read-deepseekv3-reply.js";

/** Options of the DeepSeek V3 renderers. */
export interface DeepseekV3Options {
  /** Shows system messages behind the first message as a user's; without it they are refused. @defaultValue false */
  readonly systemAsUser?: boolean;
}

const END = "<｜end▁of▁sentence｜>";
const OPEN = "<think>";

/** Roles that are introduced by a token; what the system says first stands bare. */
const ROLE_TOKENS: Readonly<Record<string, string>> = {
  system: "",
  user: "<｜User｜>",
  assistant: "<｜Assistant｜>",
  tool: "<｜tool▁output▁begin｜>",
};

/**
 * DeepSeek V3 and V3.1. `isThinking`: prompts open a thinking block; those that do not close an unopened one instead.
 *
 * Tokens that people spell out become tokens in contents, results, calls, declarations of tools and a prefill, unless the option
 * `literalText` is on.
 */
export function deepseekV3Layout(isThinking: boolean, { systemAsUser = false }: DeepseekV3Options): Layout {
  return {
    hasExtensionProperty: !isThinking,
    checkMessage(message, index) {
      if (!Object.hasOwn(ROLE_TOKENS, message.role)) {
        throw refusal(
          index,
          `has the role ${message.role}`,
          `roles are ${Object.keys(ROLE_TOKENS).join(", ")}`,
        );
      }
      if (message.role === "system" && index > 0 && !systemAsUser) {
        throw refusal(
          index,
          "is a system message behind others",
          "put it first, or show it as a user's with the option systemAsUser",
        );
      }
      if (message.role !== "assistant") onlyText(message, index);
      else refuseImages(message, index);
    },
    prelude: () => [{ token: "<｜begin▁of▁sentence｜>" }],
    render(place) {
      return { header: [{ text: header(place, isThinking) }], output: [{ text: body(place, isThinking) }] };
    },
    opening(role, messages) {
      if (role === "assistant" && answersTool(messages)) return [];
      return [
        { text: roleToken(role, messages.length) + (!isThinking && role === "assistant" ? "</think>" : "") },
      ];
    },
    prefill: (role, messages) =>
      isThinking && !(role === "assistant" && answersTool(messages)) ? "<think>" : "",
    declareTools: declareDeepseekV3Tools,
    instructions: [DEEPSEEKV3_CALL_FORMAT],
    reply: {
      stop: { tokens: [END] },
      read: (text) => readDeepseekV3Reply(text),
      ...(isThinking && { opening: "<think>" }),
      streaming: { startsInThinking: isThinking },
    },
  };
}

/** The system speaks bare in the first message only. */
function roleToken(role: string, index: number): string {
  return ROLE_TOKENS[role === "system" && index > 0 ? "user" : role] ?? "";
}

/** The model goes on behind the result of a tool without being introduced again. */
function answersTool(messages: readonly Message[]): boolean {
  return messages.at(-1)?.role === "tool";
}

function header({ message, index, isLast, messages }: Place, isThinking: boolean): string {
  if (message.role !== "assistant") return roleToken(message.role, index);
  if (answersTool(messages.slice(0, index))) return "";
  return `${roleToken(message.role, index)}${isThinking && isLast ? "" : "</think>"}`;
}

function body(place: Place, isThinking: boolean): TextRun[] {
  const { message, index, isLast, messages } = place;
  if (message.role === "tool") return [given(onlyText(message, index)), "<｜tool▁output▁end｜>"];
  if (message.role !== "assistant") return [given(onlyText(message, index))];
  const calls = message.tool_calls ?? [];
  const followsTool = answersTool(messages.slice(0, index));
  // As recorded: earlier turns that call no tools lose their thinking, and without thinking those, too, that answer no tool.
  const isStripped = (!isLast && calls.length === 0) || (!isThinking && !followsTool);
  const { content } = message;
  const takesBlocks = !isThinking && !followsTool;
  const runs = assistantRuns(content, isStripped, takesBlocks);
  const isEmpty = takesBlocks ? textOfRuns(runs) === "" : content.length === 0;
  const hasBlock =
    typeof content === "string" ? place.literalText !== true && content.includes(OPEN) : hasThinking(content);
  const needsBlock = isThinking && isLast && !followsTool && !isEmpty && !hasBlock;
  return [needsBlock ? "<think></think>" : "", ...runs, ...callRuns(calls), isEmpty ? "" : END];
}

const BLOCK = { open: "<think>", close: "</think>" };

/** @param takesBlocks - takes thinking out of strings as well; as recorded, a model that thinks keeps them as they are */
function assistantRuns(content: Message["content"], isStripped: boolean, takesBlocks: boolean): TextRun[] {
  if (typeof content === "string") return [given(takesBlocks ? withoutBlocks(content) : content)];
  return content.flatMap((part): TextRun[] => {
    if (part.type === "text") return [given(part.text)];
    return part.type === "thinking" && !isStripped ? [OPEN, given(part.thinking), "</think>"] : [];
  });
}

function withoutBlocks(text: string): string {
  let position = 0;
  let shown = "";
  for (const { start, end } of findBlocks(text, [BLOCK])) {
    shown += text.slice(position, start);
    position = end;
  }
  return shown + text.slice(position);
}

function callRuns(calls: readonly ToolCall[]): TextRun[] {
  if (calls.length === 0) return [];
  const { open, callOpen, separator, callClose, close } = DEEPSEEK_CALLS;
  const written = calls.flatMap((call): TextRun[] => [
    callOpen,
    given(call.function.name),
    separator,
    given(argumentsText(call)),
    callClose,
  ]);
  return [open, ...written, close];
}
