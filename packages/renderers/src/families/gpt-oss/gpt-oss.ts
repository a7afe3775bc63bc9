import { type Clock, systemClock, ValidationError } from "@tinkex/base";
import { refuseImages } from "../../images/refuse-images.js";
import type { Layout, Place } from "../../layout/layout.js";
import { refusal } from "../../messages/check-messages.js";
import type { Message } from "../../messages/message.js";
import { onlyText, textOf, thinkingOf } from "../../messages/message-content.js";
import { given, joinRuns, type TextRun } from "../../pieces/text-run.js";
import { argumentsText } from "../../tool-calls/json-tool-call.js";
import { declareGptOssTools, INTERNAL_SYSTEM } from "./gpt-oss-tools.js";
import { readGptOssReply } from "./read-gpt-oss-reply.js";

/** Amount of thinking that the model is told. */
export type GptOssReasoning = "low" | "medium" | "high";

/** Options of the GPT-OSS renderers that tell the model the date. */
export interface GptOssOptions {
  /** The date it is told, as in `2026-01-31`. Give one to have the same tokens tomorrow. @defaultValue today in UTC */
  readonly currentDate?: string;
  /** Tells what today is. @defaultValue the computer's clock */
  readonly clock?: Pick<Clock, "now">;
}

/**
 * GPT-OSS models. What a user's system message says reaches them as a developer's; the message that really is the system's names
 * the date and how much to think. Left out without `reasoning`.
 *
 * Tokens that people spell out become tokens in contents, results and their names, calls, declarations of tools and a prefill,
 * unless the option `literalText` is on.
 */
export function gptOssLayout(reasoning?: GptOssReasoning, options: GptOssOptions = {}): Layout {
  const { clock = systemClock, currentDate = new Date(clock.now()).toISOString().slice(0, 10) } = options;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(currentDate)) {
    throw new ValidationError(`currentDate must be a date such as 2026-01-31, not ${String(currentDate)}`, {
      path: ["options", "currentDate"],
    });
  }
  const system: Message | undefined = reasoning && {
    role: INTERNAL_SYSTEM,
    content: systemText(currentDate, reasoning),
  };
  return {
    hasExtensionProperty: false,
    checkMessage(message, index) {
      if (message.role !== "assistant") onlyText(message, index);
      else refuseImages(message, index);
    },
    arrange: (messages) => (system === undefined ? messages : [system, ...messages]),
    prelude: () => [],
    render: (place) => ({ header: [{ text: header(place) }], output: [{ text: body(place) }] }),
    opening: (role) => [{ text: ["<|start|>", given(wireRole(role))] }],
    declareTools: declareGptOssTools,
    reply: { stop: { tokens: ["<|return|>", "<|call|>"] }, read: readGptOssReply },
  };
}

function systemText(currentDate: string, reasoning: GptOssReasoning): string {
  return [
    "You are ChatGPT, a large language model trained by OpenAI.",
    "Knowledge cutoff: 2024-06",
    `Current date: ${currentDate}`,
    "",
    `Reasoning: ${reasoning}`,
    "",
    "# Valid channels: analysis, commentary, final. Channel must be included for every message.",
  ].join("\n");
}

function wireRole(role: string): string {
  if (role === "system") return "developer";
  return role === INTERNAL_SYSTEM ? "system" : role;
}

function header(place: Place): TextRun[] {
  const { role } = place.message;
  if (role !== "tool") return ["<|start|>", given(wireRole(role))];
  return ["<|start|>functions.", given(toolName(place)), " to=assistant"];
}

/** The name of the tool that answers, which the model wants to see; the call has it where the answer has only its id. */
function toolName({ message, messages, index }: Place): string {
  const called = messages
    .slice(0, index)
    .flatMap(({ tool_calls = [] }) => tool_calls)
    .findLast(({ id }) => id !== null && id === message.tool_call_id)?.function.name;
  const name = message.name ?? called;
  if (name !== undefined) return name.replace(/^functions\./, "");
  throw refusal(index, "is a tool's answer without its name", "give it the name of the tool that was called");
}

function body({ message, index, isLast }: Place): TextRun[] {
  switch (message.role) {
    case "assistant":
      return assistantRuns(message, isLast);
    case "system":
      return ["<|message|># Instructions\n\n", given(onlyText(message, index)), "\n\n<|end|>"];
    case "tool":
      return ["<|channel|>commentary<|message|>", given(onlyText(message, index)), "<|end|>"];
    default:
      return ["<|message|>", given(onlyText(message, index)), "<|end|>"];
  }
}

/** Thinking, text and each call are messages of their own; the header has introduced the first. */
function assistantRuns(message: Message, isLast: boolean): TextRun[] {
  const thinking = thinkingOf(message.content);
  const text = textOf(message.content);
  const calls = (message.tool_calls ?? []).map((call): TextRun[] => [
    " to=functions.",
    given(call.function.name),
    "<|channel|>commentary <|constrain|>json<|message|>",
    given(argumentsText(call)),
    "<|call|>",
  ]);
  const onChannel = (channel: string, said: string, end = "<|end|>"): TextRun[] => [
    `<|channel|>${channel}<|message|>`,
    given(said),
    end,
  ];
  const shown = [
    ...(thinking === "" ? [] : [onChannel("analysis", thinking)]),
    ...(calls.length > 0 && text !== "" ? [onChannel("commentary", text)] : []),
    ...(calls.length > 0 ? calls : [onChannel("final", text, isLast ? "<|return|>" : "<|end|>")]),
  ];
  return joinRuns(shown, "<|start|>assistant");
}
