import { checkImages, type ImageProcessor } from "../../images/image-processor.js";
import type { Layout, Place, RenderedMessage } from "../../layout/layout.js";
import type { Message, ToolDeclaration } from "../../messages/message.js";
import { hasThinking, textOf } from "../../messages/message-content.js";
import { joinPieces } from "../../pieces/join-pieces.js";
import { given, joinRuns, type TextRun } from "../../pieces/text-run.js";
import type { JsonValue } from "../../text/json-value.js";
import { strip } from "../../text/strip-text.js";
import { pythonText, writeJson } from "../../text/write-json.js";
import { checkCallArguments } from "../../tool-calls/call-arguments.js";
import { FUNCTION_TAG_FORMAT, functionTagInstructions } from "../../tool-calls/function-tag-instructions.js";
import { jsonValueText, readFunctionTagReply, writeFunctionTags } from "../../tool-calls/function-tags.js";
import { contentStretches, END, imStart, imStartOpening, spellsThinking } from "../im-start.js";

/** Options that `getRenderer` takes with the Qwen3.5 and Qwen3.8 names. */
export interface Qwen35Options {
  /** Needed for messages with images. */
  readonly imageProcessor?: ImageProcessor | undefined;
}

interface Qwen35Variant extends Qwen35Options {
  readonly disablesThinking?: boolean;
  /** True where earlier messages keep their thinking. */
  readonly keepsThinking?: boolean;
}

interface Qwen35Style extends Qwen35Variant {
  /** True where messages before the last user message have a thinking block too, empty if need be. */
  readonly blocksInHistory: boolean;
  /** Tells whether a message thinks, so that it needs no empty block. */
  readonly thinks: (message: Message) => boolean;
  /** An argument of a call as text. */
  readonly valueText: (value: JsonValue) => string;
  readonly arrange?: (messages: readonly Message[]) => readonly Message[];
}

/**
 * Qwen3.5 and 3.6. Arguments that are not text are written as Python shows them (`True`), as the models' templates do.
 *
 * Tokens that people spell out become tokens in contents, results, calls, declarations of tools and a prefill, unless the option
 * `literalText` is on.
 */
export function qwen35Layout(variant: Qwen35Variant): Layout {
  return createLayout({
    ...variant,
    blocksInHistory: false,
    thinks: spellsThinking,
    valueText: pythonText,
  });
}

/**
 * Qwen3.8: a sentence about the effort in front of the system prompt, thinking kept in history, arguments as JSON. Only parts are
 * thinking: tags that a string spells out stay text.
 *
 * Tokens that people spell out become tokens in contents, results, calls, declarations of tools and a prefill, unless the option
 * `literalText` is on.
 */
export function qwen38Layout({
  effort,
  ...variant
}: Qwen35Variant & { readonly effort?: keyof typeof EFFORTS }): Layout {
  return createLayout({
    ...variant,
    keepsThinking: true,
    blocksInHistory: true,
    thinks: ({ content }) => hasThinking(content),
    valueText: jsonValueText,
    arrange: (messages) => withEffort(messages, effort === undefined ? "" : EFFORTS[effort]),
  });
}

function createLayout(style: Qwen35Style): Layout {
  const disablesThinking = style.disablesThinking ?? false;
  const opening = disablesThinking ? OPEN + CLOSE : OPEN;
  return {
    hasExtensionProperty: false,
    disablesThinking,
    checkMessage(message, index) {
      checkImages(message, index, style.imageProcessor);
      checkCallArguments(message, index);
    },
    ...(style.arrange !== undefined && { arrange: style.arrange }),
    prelude: () => [],
    render: (place) =>
      place.message.role === "tool"
        ? renderResult(place, style)
        : renderMessage(place, style, disablesThinking),
    opening: (role, messages) => imStartOpening(role, messages, opening),
    declareTools,
    instructions: [FUNCTION_TAG_FORMAT],
    reply: {
      stop: { tokens: [END] },
      opening: OPEN,
      read: readFunctionTagReply,
      streaming: { startsInThinking: !disablesThinking },
    },
  };
}

const EFFORTS = {
  xhigh:
    "Reasoning effort is set to xhigh. Please think carefully through the task, validate key assumptions, consider plausible alternatives, and prioritize correctness, consistency, and clarity in the final answer.",
  medium: "",
  low: "Reasoning effort is set to low. Keep your thinking brief and focused, moving directly to the conclusion without unnecessary elaboration.",
} as const;

const OPEN = "<think>\n";
const CLOSE = "\n</think>\n\n";

function renderMessage(place: Place, style: Qwen35Style, disablesThinking: boolean): RenderedMessage {
  const { message, index, isLast } = place;
  const header = imStart(message.role, index === 0);
  const body = contentStretches(message, isLast || (style.keepsThinking ?? false), {
    thinking: (thinking) => [OPEN, given(thinking), CLOSE],
    stripsParts: true,
    imageProcessor: style.imageProcessor,
  });
  const output = joinPieces([...body, ...writeCalls(message, style), END]);
  const hasBlock =
    message.role === "assistant" &&
    !style.thinks(message) &&
    (style.blocksInHistory || index > place.lastUserIndex);
  if (!hasBlock) return { header: [{ text: header }], output };
  // A model that may think writes the end of an empty block itself: of the message it produced, that end is its own.
  return isLast && !disablesThinking
    ? { header: [{ text: [...header, OPEN] }], output: [{ text: CLOSE }, ...output] }
    : { header: [{ text: [...header, OPEN, CLOSE] }], output };
}

function writeCalls({ tool_calls = [], content }: Message, { valueText }: Qwen35Style): TextRun[] {
  if (tool_calls.length === 0) return [];
  const separator = strip(textOf(content)) === "" ? "" : "\n\n";
  const calls = tool_calls.map((call) => writeFunctionTags(call, valueText));
  return [separator, ...joinRuns(calls, "\n")];
}

/** Results that follow each other share the frame of one user message. */
function renderResult({ message, index, previous, next }: Place, style: Qwen35Style): RenderedMessage {
  const body = contentStretches(message, true, {
    thinking: (thinking) => [OPEN, given(thinking), CLOSE],
    stripsParts: true,
    imageProcessor: style.imageProcessor,
  });
  return {
    header: [{ text: previous?.role === "tool" ? "\n" : imStart("user", index === 0) }],
    output: joinPieces([
      "<tool_response>\n",
      ...body,
      `\n</tool_response>${next?.role === "tool" ? "" : END}`,
    ]),
  };
}

function declareTools(tools: readonly ToolDeclaration[], systemPrompt: string): Message[] {
  const declared = tools.map((tool) => writeJson(tool, { asciiOnly: true })).join("\n");
  const content = functionTagInstructions(declared);
  return [{ role: "system", content: systemPrompt === "" ? content : `${content}\n\n${systemPrompt}` }];
}

/** Puts the sentence in front of the first system message, which is dropped when nothing is left of it. */
function withEffort(messages: readonly Message[], effort: string): readonly Message[] {
  const [first] = messages;
  const prompt =
    first?.role === "system" && typeof first.content === "string" ? strip(first.content) : undefined;
  if (first?.role === "system" && prompt === undefined) {
    // Content in parts stays as it is; the sentence becomes a part of its own.
    if (effort === "" || typeof first.content === "string") return messages;
    const parts = [{ type: "text" as const, text: `${effort}\n\n` }, ...first.content];
    return [{ ...first, content: parts }, ...messages.slice(1)];
  }
  const rest = prompt === undefined ? messages : messages.slice(1);
  const content = [effort, prompt ?? ""].filter((text) => text !== "").join("\n\n");
  return content === ""
    ? rest
    : [{ ...(prompt === undefined ? {} : first), role: "system", content }, ...rest];
}
