import { refuseImages } from "../images/refuse-images.js";
import type { Layout, Place, RenderedMessage } from "../layout/layout.js";
import { completeTool } from "../messages/complete-tool.js";
import type { Message, ToolDeclaration } from "../messages/message.js";
import { hasThinking, withoutThinking } from "../messages/message-content.js";
import { joinPieces } from "../pieces/join-pieces.js";
import { given, type TextRun } from "../pieces/text-run.js";
import { strip } from "../text/strip-text.js";
import { jsonEntries, pythonText, writeJson } from "../text/write-json.js";
import { checkCallArguments } from "../tool-calls/call-arguments.js";
import { FUNCTION_TAG_FORMAT, functionTagInstructions } from "../tool-calls/function-tag-instructions.js";
import { readFunctionTagReply, writeFunctionTags } from "../tool-calls/function-tags.js";
import { contentStretches, END, imStart, imStartOpening, showsNothing, spellsThinking } from "./im-start.js";

export interface Nemotron3Variant {
  readonly disablesThinking?: boolean;
  /** True where messages before the last user message keep their thinking. */
  readonly keepsThinking?: boolean;
  /** True for the Ultra model, which writes no line breaks around `</think>`. */
  readonly isUltra?: boolean;
  /** The end of the last user message that has the model think less. */
  readonly effort?: "low" | "efficient";
}

const OPEN = "<think>\n";
const EMPTY_BLOCK = "<think></think>";

/**
 * Nemotron 3, whose layout is that of Qwen3.5 with other line breaks, and a system block even where nothing is in it.
 *
 * Tokens that people spell out become tokens in contents, results, calls, declarations of tools and a prefill, unless the option
 * `literalText` is on.
 */
export function nemotron3Layout(variant: Nemotron3Variant): Layout {
  const { disablesThinking = false, effort } = variant;
  return {
    hasExtensionProperty: variant.keepsThinking ?? false,
    disablesThinking,
    checkMessage(message, index) {
      refuseImages(message, index);
      checkCallArguments(message, index);
    },
    arrange: (messages) => withSystem(effort === undefined ? messages : withEffort(messages, effort)),
    prelude: () => [],
    render: (place) =>
      place.message.role === "tool" ? renderResult(place, variant) : renderMessage(place, variant),
    opening: (role, messages) => imStartOpening(role, messages, disablesThinking ? EMPTY_BLOCK : OPEN),
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

function renderMessage(place: Place, variant: Nemotron3Variant): RenderedMessage {
  const { message, index, lastUserIndex } = place;
  const keepsThinking = variant.keepsThinking === true || index > lastUserIndex;
  const output = joinPieces([
    ...stretches(place, keepsThinking, variant),
    ...writeCalls(message, variant),
    END,
  ]);
  return {
    header: [{ text: [...imStart(message.role, index === 0), blockOf(message, keepsThinking, variant)] }],
    output,
  };
}

/** The empty block in front of what an assistant says without thinking. */
function blockOf(message: Message, keepsThinking: boolean, { isUltra }: Nemotron3Variant): string {
  if (message.role !== "assistant" || (keepsThinking && spellsThinking(message))) return "";
  const { content, tool_calls = [] } = message;
  const leavesBreak =
    isUltra !== true &&
    hasThinking(content) &&
    !showsNothing(withoutThinking(content)) &&
    tool_calls.length === 0;
  return leavesBreak ? `${EMPTY_BLOCK}\n` : EMPTY_BLOCK;
}

function stretches({ message }: Place, keepsThinking: boolean, { isUltra }: Nemotron3Variant) {
  return contentStretches(message, keepsThinking, {
    thinking: (thinking) => [OPEN, given(thinking), isUltra === true ? "</think>" : "\n</think>\n"],
    stripsParts: false,
  });
}

function writeCalls({ tool_calls = [], content }: Message, { isUltra }: Nemotron3Variant): TextRun[] {
  if (tool_calls.length === 0) return [];
  // The line break behind </think> serves for the one in front of the first call.
  const hasBreak = isUltra !== true && hasThinking(content) && showsNothing(withoutThinking(content));
  const calls = tool_calls.flatMap((call) => [...writeFunctionTags(call, pythonText), "\n"]);
  return [hasBreak ? "" : "\n", ...calls];
}

/** Results that follow each other share the frame of one user message. */
function renderResult(place: Place, variant: Nemotron3Variant): RenderedMessage {
  const { index, previous, next } = place;
  return {
    header: [{ text: previous?.role === "tool" ? "" : imStart("user", index === 0) }],
    output: joinPieces([
      "<tool_response>\n",
      ...stretches(place, true, variant),
      `\n</tool_response>\n${next?.role === "tool" ? "" : END}`,
    ]),
  };
}

function withSystem(messages: readonly Message[]): readonly Message[] {
  return messages[0]?.role === "system" ? messages : [{ role: "system", content: "" }, ...messages];
}

function withEffort(
  messages: readonly Message[],
  effort: NonNullable<Nemotron3Variant["effort"]>,
): readonly Message[] {
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  return messages.map((message, index) => {
    if (index !== lastUser) return message;
    const suffix = `{reasoning effort: ${effort}}`;
    const { content } = message;
    if (typeof content !== "string") {
      return { ...message, content: [...content, { type: "text", text: `\n\n${suffix}` }] };
    }
    return { ...message, content: content === "" ? suffix : `${content}\n\n${suffix}` };
  });
}

function declareTools(tools: readonly ToolDeclaration[], systemPrompt: string): Message[] {
  const content = functionTagInstructions(tools.map(completeTool).map(declaration).join("\n"));
  return [{ role: "system", content: systemPrompt === "" ? content : `${systemPrompt}\n\n${content}` }];
}

function declaration(tool: ToolDeclaration): string {
  const { name, description, parameters } = tool;
  const properties = jsonEntries(parameters.properties) ?? [];
  const about = strip(description);
  return [
    "<function>",
    `<name>${name}</name>`,
    ...(about === "" ? [] : [`<description>${about}</description>`]),
    "<parameters>",
    ...properties.flatMap(([parameter, schema]) => [
      "<parameter>",
      `<name>${parameter}</name>`,
      ...schemaTags(schema),
      "</parameter>",
    ]),
    ...tags(parameters, ["type", "properties", "required"]),
    ...tags({ required: parameters.required }, []),
    "</parameters>",
    ...tags(tool, ["type", "name", "description", "parameters"]),
    "</function>",
  ].join("\n");
}

/** The fields of a schema in tags, those that most have in front, as the model's own template writes them. */
function schemaTags(schema: unknown): string[] {
  const fields = new Map(jsonEntries(schema));
  const known: Readonly<Record<string, (value: unknown) => string>> = {
    type: typeText,
    description: (value) => strip(pythonText(value)),
    enum: (value) => writeJson(value, { asciiOnly: true }),
  };
  const first = Object.entries(known).filter(([name]) => fields.has(name));
  return [
    ...first.map(([name, text]) => `<${name}>${text(fields.get(name))}</${name}>`),
    ...tags(schema, ["name", ...Object.keys(known)]),
  ];
}

/** A type, or several as Python prints a list of texts. */
function typeText(type: unknown): string {
  return Array.isArray(type) ? `[${type.map((name) => `'${name}'`).join(", ")}]` : tagText(type);
}

/** The fields of an object in tags, without those left out. */
function tags(object: unknown, leftOut: readonly string[]): string[] {
  return (jsonEntries(object) ?? [])
    .filter(([name]) => !leftOut.includes(name))
    .map(([name, value]) => `<${name}>${tagText(value)}</${name}>`);
}

function tagText(value: unknown): string {
  return typeof value === "object" && value !== null
    ? writeJson(value, { asciiOnly: true })
    : pythonText(value);
}
