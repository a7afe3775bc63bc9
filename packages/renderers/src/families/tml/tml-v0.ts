import { ValidationError } from "@tinkex/base";
import { refuseImages } from "../../images/refuse-images.js";
import type { Layout, RenderedMessage } from "../../layout/layout.js";
import { checkKnownRole } from "../../messages/check-known-role.js";
import { refusal } from "../../messages/check-messages.js";
import type { ContentPart, Message, Role, ToolDeclaration } from "../../messages/message.js";
import { contentParts } from "../../messages/message-content.js";
import type { Piece } from "../../pieces/piece.js";
import { given } from "../../pieces/text-run.js";
import { writeJson } from "../../text/write-json.js";
import { checkCallArguments } from "../../tool-calls/call-arguments.js";
import { readTmlReply } from "./read-tml-reply.js";
import { writeDeclarations, writeTmlCall } from "./tml-json.js";
import { TML_AUTHORS, TML_CONTENTS, TML_END, TML_STOP } from "./tml-tokens.js";

/** Options that `getRenderer` takes with the name of Inkling's renderer. */
export interface TmlOptions {
  /** Amount of thinking that the model is told, from 0 to below 1; it is shown with at most two decimals, 0.995 and more as 1. @defaultValue 0.9 */
  readonly effort?: number;
}

const ROLES = [...Object.keys(TML_AUTHORS), "tool_declare"];

/**
 * Inkling models: TMLv0, in which each part of a message is a message of its own, with its author, the kind of its content and an
 * end. The effort of thinking stands behind the messages of the system that begin a conversation.
 *
 * The model begins its own messages, so that prompts end where another author does. Special tokens that people spell out stay text.
 */
export function tmlV0Layout({ effort = 0.9 }: TmlOptions = {}): Layout {
  if (typeof effort !== "number" || !(effort >= 0 && effort < 1)) {
    throw new ValidationError(`effort must be a number from 0 to below 1, got ${String(effort)}`, {
      path: ["options", "effort"],
    });
  }
  const told: Message = {
    role: "system",
    content: `Thinking effort level: ${effortText(effort)}`,
    // For the mode that wants the flag on every message.
    trainable: false,
  };
  return {
    hasExtensionProperty: true,
    joinsChunks: true,
    checkMessage,
    arrange(messages) {
      const begins = messages.findIndex(({ role }) => role !== "system" && role !== "tool_declare");
      const count = begins === -1 ? messages.length : begins;
      return [...messages.slice(0, count), told, ...messages.slice(count)];
    },
    prelude: () => [],
    render: ({ message, index }) => renderMessage(message, index),
    opening,
    declareTools,
    reply: { stop: { tokens: [TML_STOP] }, parse: readTmlReply },
  };
}

/** The model writes its own name, other authors are named. */
function opening(role: Role): Piece[] {
  const token = TML_AUTHORS[role];
  if (token === undefined) {
    throw new ValidationError(
      `role must be one of ${Object.keys(TML_AUTHORS).join(", ")}, got ${JSON.stringify(role)}`,
      {
        path: ["role"],
      },
    );
  }
  return role === "assistant" ? [] : [{ token }];
}

/** The effort as the model's own software shows it: thousandths first, then two decimals, halves to the even side. */
function effortText(effort: number): string {
  return String(roundHalfToEven((roundHalfToEven(effort * 1_000) / 1_000) * 100) / 100);
}

function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  const isDown = value - floor < 0.5 || (value - floor === 0.5 && floor % 2 === 0);
  return isDown ? floor : floor + 1;
}

function checkMessage(message: Message, index: number): void {
  checkKnownRole(message, index, ROLES, "Inkling");
  refuseImages(message, index);
  checkCallArguments(message, index);
  if (message.tool_calls?.some(({ function: { name } }) => name === "") === true)
    throw refusal(index, "calls a tool without a name", "give the name of a declared tool");
  if (message.role === "tool_declare") writeDeclarations(message, index);
}

/** A part of a message, framed: its author and kind, its text, its end. */
interface Frame {
  readonly head: readonly Piece[];
  readonly body: readonly Piece[];
}

function renderMessage(message: Message, index: number): RenderedMessage {
  if (message.role === "assistant") {
    // The model writes all of it, its own name included.
    const frames = [
      ...assistantParts(message).map((part) => framePart(message, part)),
      ...frameCalls(message),
    ];
    return {
      header: [],
      output: [...frames.flatMap(({ head, body }) => [...head, ...body]), { token: TML_STOP }],
    };
  }
  const [first, ...others] =
    message.role === "tool_declare"
      ? [frame("system", message.role, "xml", writeDeclarations(message, index))]
      : partsOf(message).map((part) => framePart(message, part));
  return {
    header: first?.head ?? [],
    output: [...(first?.body ?? []), ...others.flatMap(({ head, body }) => [...head, ...body])],
  };
}

function partsOf({ content }: Message): readonly ContentPart[] {
  const parts = contentParts(content);
  return parts.length === 0 ? [{ type: "text", text: "" }] : parts;
}

/** The parts of an assistant's message, without empty texts where it calls tools. */
function assistantParts(message: Message): readonly ContentPart[] {
  const parts = partsOf(message);
  if ((message.tool_calls ?? []).length === 0) return parts;
  return parts.filter((part) => part.type !== "text" || part.text !== "");
}

function framePart({ role, name }: Message, part: ContentPart): Frame {
  const author = role === "tool" ? (name ?? "") : "";
  if (part.type === "thinking") return frame(role, author, "thinking", part.thinking);
  return frame(role, author, "text", part.type === "text" ? part.text : "");
}

function frameCalls({ tool_calls: calls = [] }: Message): Frame[] {
  return calls.map((call) => frame("assistant", call.function.name, "call", writeTmlCall(call)));
}

function frame(role: string, name: string, kind: keyof typeof TML_CONTENTS, text: string): Frame {
  return {
    head: [
      { token: TML_AUTHORS[role] ?? TML_AUTHORS.system },
      { text: [given(name)], literal: true },
      { token: TML_CONTENTS[kind] },
    ],
    body: [{ text: [given(text)], literal: true }, { token: TML_END }],
  };
}

function declareTools(tools: readonly ToolDeclaration[], systemPrompt: string): Message[] {
  const declared = tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
  return [
    ...(systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt }]),
    { role: "tool_declare", content: writeJson(declared, { asciiOnly: true, compact: true }) },
  ];
}
