import { refuseImages } from "../../images/refuse-images.js";
import type { Layout, Place, RenderedMessage } from "../../layout/layout.js";
import { checkKnownRole } from "../../messages/check-known-role.js";
import type { Message, Role, ToolDeclaration } from "../../messages/message.js";
import { onlyText, textOf, thinkingOf } from "../../messages/message-content.js";
import type { Piece } from "../../pieces/piece.js";
import { given } from "../../pieces/text-run.js";
import { writeJson } from "../../text/write-json.js";
import {
  declaresTools,
  isTeller,
  joinDeepseekV41Messages,
  joinedRuns,
  lastUserPart,
} from "./deepseek-v4-1-messages.js";
import { readDsmlReply, writeDsmlCalls } from "./dsml-calls.js";

export interface DeepseekV41Variant {
  /** Effort of reasoning, from 1 to 100, or that the model does not. */
  readonly effort: number | "none";
  /** Keeps the thinking of earlier turns. They keep it anyway where tools are declared. */
  readonly keepsThinking?: boolean;
}

const BEGIN = "<｜begin▁of▁sentence｜>";
const END = "<｜end▁of▁sentence｜>";
const OPEN = "<think>";
const CLOSE = "</think>";
const ROLE_TOKENS: Readonly<Record<string, string>> = {
  system: "<｜System｜>",
  user: "<｜User｜>",
  // A result is told by a user.
  tool: "<｜User｜>",
  assistant: "<｜Assistant｜>",
};
const ROLES = [...Object.keys(ROLE_TOKENS), "tool_declare"];

/**
 * DeepSeek V4.1. The effort stands in front of the conversation; users and results that follow each other are one message; an
 * assistant is introduced only where somebody else spoke before it.
 *
 * Tokens that people spell out become tokens in contents, results, calls, declarations of tools and a prefill, unless the option
 * `literalText` is on.
 */
export function deepseekV41Layout({ effort, keepsThinking = false }: DeepseekV41Variant): Layout {
  const thinks = effort !== "none";
  const preface = thinks
    ? `${ROLE_TOKENS.system}Reasoning Effort: ${effort} (range 1-100, the higher the value, the more thorough the reasoning)\n\n`
    : "";
  const start = (role: Role, isFirst: boolean) => {
    const token = ROLE_TOKENS[role] ?? "";
    if (!isFirst || preface === "") return token;
    return role === "system" ? preface : preface + token;
  };
  const assistantStart = (messages: readonly Message[], showsThinking: boolean) => {
    if (messages.length === 0) return preface;
    return isIntroduced(messages) ? `${ROLE_TOKENS.assistant}${showsThinking ? OPEN : CLOSE}` : "";
  };
  return {
    hasExtensionProperty: keepsThinking || !thinks,
    checkMessage,
    arrange: joinDeepseekV41Messages,
    turnBorder: lastUserPart,
    prelude: () => [{ text: BEGIN }],
    render(place): RenderedMessage {
      const { message, index, messages } = place;
      if (message.role !== "assistant") {
        return {
          header: [{ text: start(message.role, index === 0) }],
          output: [{ text: joinedRuns(message.content) }],
        };
      }
      const showsThinking = thinks && (keepsThinking || keepsItsThinking(place));
      const thought = showsThinking ? [given(thinkingOf(message.content)), CLOSE] : [];
      const calls = writeDsmlCalls(message.tool_calls ?? []);
      return {
        header: [{ text: assistantStart(messages.slice(0, index), showsThinking) }],
        output: [{ text: [...thought, given(textOf(message.content)), ...calls, END] }],
      };
    },
    opening(role, messages): Piece[] {
      // Users' messages in a row are one message, which is open already.
      if (isTeller({ role }) && isTeller(messages.at(-1))) return [];
      if (role !== "assistant") return [{ text: start(role, messages.length === 0) }];
      return [{ text: assistantStart(messages, thinks) }];
    },
    declareTools,
    reply: {
      stop: { tokens: [END] },
      ...(thinks && { opening: OPEN }),
      read: readDsmlReply,
      streaming: { startsInThinking: thinks },
    },
  };
}

function checkMessage(message: Message, index: number): void {
  checkKnownRole(message, index, ROLES, "DeepSeek V4.1");
  if (message.role === "assistant") refuseImages(message, index);
  else onlyText(message, index);
}

/** Tells whether somebody spoke to whom the assistant answers. The first system message is no such speech. */
function isIntroduced(before: readonly Message[]): boolean {
  const last = before.at(-1);
  return last !== undefined && last.role !== "assistant" && (last.role !== "system" || before.length > 1);
}

/** A turn that nobody has answered yet shows its thinking; where tools are declared, all turns do. */
function keepsItsThinking({ messages, index }: Place): boolean {
  return messages.slice(index).every(({ role }) => role === "assistant") || declaresTools(messages[0]);
}

function declareTools(tools: readonly ToolDeclaration[], systemPrompt: string): Message[] {
  const declared = tools.map((tool) => ({ type: "function", function: tool }));
  return [
    ...(systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt }]),
    { role: "tool_declare", content: writeJson(declared, { asciiOnly: true }) },
  ];
}
