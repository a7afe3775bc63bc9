import { checkImages, type ImageProcessor, imageChunk } from "../../images/image-processor.js";
import type { Layout, Place } from "../../layout/layout.js";
import { refusal } from "../../messages/check-messages.js";
import type { Message, ToolCall, ToolDeclaration } from "../../messages/message.js";
import { contentParts, hasThinking, onlyText, textOf, thinkingOf } from "../../messages/message-content.js";
import type { Piece } from "../../pieces/piece.js";
import { given, type TextRun } from "../../pieces/text-run.js";
import { writeJson } from "../../text/write-json.js";
import { kimiToolTypes } from "./kimi-tool-types.js";
import { KIMI_CALLS, readKimiReply } from "./read-kimi-reply.js";

/** Options that `getRenderer` takes with the names of Kimi K2.5 and K2.6. */
export interface KimiOptions {
  /** Needed for messages with images. */
  readonly imageProcessor?: ImageProcessor | undefined;
}

interface KimiVariant extends KimiOptions {
  /** The end of prompts: nothing, the opening of a thinking block, or an empty block. */
  readonly opening: "" | "<think>" | "<think></think>";
  /** True where earlier turns keep their thinking. */
  readonly keepsThinking?: boolean;
  /** True where messages may have several parts, images among them. */
  readonly takesParts: boolean;
  readonly declareTools: (tools: readonly ToolDeclaration[]) => string;
}

const END = "<|im_end|>";
const DEFAULT_PROMPT = "You are Kimi, an AI assistant created by Moonshot AI.";

/**
 * Kimi K2, which reads its tools as JSON and whose messages are text.
 *
 * Tokens that people spell out become tokens in contents, results with their names and ids, calls, declarations of tools and a
 * prefill, unless the option `literalText` is on.
 */
export function kimiK2Layout(): Layout {
  return createLayout({ opening: "", takesParts: false, declareTools: declareAsJson });
}

/**
 * Kimi K2.5 and K2.6.
 *
 * Tokens that people spell out become tokens in contents, results with their names and ids, calls, declarations of tools and a
 * prefill, unless the option `literalText` is on.
 */
export function kimiK25Layout({
  disablesThinking = false,
  ...variant
}: KimiOptions & { readonly disablesThinking?: boolean; readonly keepsThinking?: boolean }): Layout {
  return createLayout({
    ...variant,
    opening: disablesThinking ? "<think></think>" : "<think>",
    takesParts: true,
    declareTools: kimiToolTypes,
  });
}

/** Each message of the assistant has a thinking block, an empty one in turns that are over. */
function createLayout(variant: KimiVariant): Layout {
  const { opening, keepsThinking = false } = variant;
  return {
    hasExtensionProperty: false,
    disablesThinking: opening === "<think></think>",
    checkMessage: (message, index) => checkMessage(message, index, variant),
    arrange: withSystemPrompt,
    turnBorder,
    splitsAtUsers: true,
    prelude: () => [],
    render: (place) => ({
      header: [{ text: header(place.message) }],
      output:
        place.message.role === "assistant" ? [{ text: written(place, keepsThinking) }] : said(place, variant),
    }),
    opening: (role) => [{ text: header({ role, content: "" }) }],
    prefill: () => opening,
    declareTools: (tools, systemPrompt) => [
      { role: "tool_declare", content: variant.declareTools(tools) },
      { role: "system", content: systemPrompt === "" ? DEFAULT_PROMPT : systemPrompt },
    ],
    reply: {
      stop: { tokens: [END] },
      ...(opening !== "" && { opening: "<think>" }),
      read: readKimiReply,
      streaming: { startsInThinking: opening === "<think>" },
    },
  };
}

function declareAsJson(tools: readonly ToolDeclaration[]): string {
  const declared = tools.map((tool) => ({ type: "function", function: tool }));
  return writeJson(declared, { asciiOnly: true, compact: true, sortKeys: true });
}

function checkMessage(message: Message, index: number, { takesParts, imageProcessor }: KimiVariant): void {
  const images = contentParts(message.content).some(({ type }) => type === "image");
  if (message.role === "assistant") {
    if (images) throw refusal(index, "has an image, which an assistant cannot write", "leave it out");
    return;
  }
  if (hasThinking(message.content)) {
    throw refusal(index, "thinks, and only the assistant does", "make a text part of it");
  }
  if (!takesParts) onlyText(message, index);
  checkImages(message, index, imageProcessor);
}

/** A turn ends with a message that calls no tool: it and what stands before it are history. */
function turnBorder(messages: readonly Message[], isPrompt: boolean): number {
  const earlier = isPrompt ? messages : messages.slice(0, -1);
  return earlier.findLastIndex(
    ({ role, tool_calls = [] }) => role === "assistant" && tool_calls.length === 0,
  );
}

/** Puts the default prompt where a system prompt belongs: in front, or behind the declarations of tools. */
function withSystemPrompt(messages: readonly Message[]): readonly Message[] {
  const place = messages[0]?.role === "tool_declare" ? 1 : 0;
  if (messages[place]?.role === "system") return messages;
  return messages.toSpliced(place, 0, { role: "system", content: DEFAULT_PROMPT });
}

function header({ role, name, tool_call_id = "" }: Message): TextRun[] {
  if (role === "user" || role === "assistant") return [`<|im_${role}|>${role}<|im_middle|>`];
  if (role !== "tool") return ["<|im_system|>", given(role), "<|im_middle|>"];
  return ["<|im_system|>", given(name ?? role), "<|im_middle|>## Return of ", given(tool_call_id), "\n"];
}

/** The words of anybody but the assistant. Each of several parts is a piece of its own. */
function said({ message }: Place, { imageProcessor }: KimiVariant): Piece[] {
  const parts = contentParts(message.content);
  const [only] = parts;
  if (parts.length === 1 && only?.type === "text") return [{ text: [given(only.text), END] }];
  const pieces = parts.flatMap((part): Piece[] => {
    if (part.type === "text") return [{ text: [given(part.text)] }];
    if (part.type !== "image") return [];
    const [open, close] = ["<|media_begin|>image<|media_content|>", "<|media_end|>\n"];
    return [{ text: open }, imageChunk(part, imageProcessor), { text: close }];
  });
  return [...pieces, { text: END }];
}

function written({ message, isInLastTurn, messages, index }: Place, keepsThinking: boolean): TextRun[] {
  const { content, tool_calls: calls = [] } = message;
  const thinking = keepsThinking || isInLastTurn ? thinkingOf(content) : "";
  const said = given(textOf(content));
  return [
    "<think>",
    given(thinking),
    "</think>",
    said,
    ...writeCalls(calls, callsBefore(messages, index)),
    END,
  ];
}

function callsBefore(messages: readonly Message[], index: number): number {
  return messages.slice(0, index).reduce((sum, { tool_calls = [] }) => sum + tool_calls.length, 0);
}

/** The calls, those without an id under the one the model would give: the name and a number that counts through the chat. */
function writeCalls(calls: readonly ToolCall[], before: number): TextRun[] {
  if (calls.length === 0) return [];
  const { open, close, callOpen, argumentsOpen, callClose } = KIMI_CALLS;
  const runs = calls.flatMap(({ id, function: { name, arguments: args } }, place): TextRun[] => {
    const numbered = given(id ?? `functions.${name}:${before + place}`);
    return [callOpen, numbered, argumentsOpen, given(args), callClose];
  });
  return [open, ...runs, close];
}
