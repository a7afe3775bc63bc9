import { refuseImages } from "../../images/refuse-images.js";
import type { Layout, Place } from "../../layout/layout.js";
import { refusal } from "../../messages/check-messages.js";
import type { ContentPart } from "../../messages/message.js";
import { contentParts, hasThinking, textOf, withoutThinking } from "../../messages/message-content.js";
import { given, joinRuns, type TextRun, textOfRuns } from "../../pieces/text-run.js";
import { readTaggedReply } from "../../replies/read-tagged-reply.js";
import { strip, stripStart } from "../../text/strip-text.js";
import { readJsonCall, writeJsonCall } from "../../tool-calls/json-tool-call.js";
import { declareQwen3Tools, QWEN3_CALL_FORMAT } from "./qwen3-tools.js";

/** Treatment of thinking in a variant of the Qwen3 layout. */
export interface Qwen3Thinking {
  /** True where thinking has the `<think>` block of the hybrid models, present and padded even where it is empty. */
  readonly hasBlocks: boolean;
  /** True where prompts hold an empty block, so that the model does not think. */
  readonly isDisabled: boolean;
  /** True where earlier messages of the assistant keep theirs. */
  readonly isKeptInHistory: boolean;
}

const END = "<|im_end|>";
const EMPTY_BLOCK = "<think>\n\n</think>\n\n";

/**
 * The text models of the Qwen3 family.
 *
 * Special tokens that people spell out stay text in contents, results, calls and declarations of tools, and become tokens in a prefill.
 * The option `literalText` keeps that as text, too, and everywhere the added tokens that are not special, such as `<think>`.
 */
export function qwen3Layout(thinking: Qwen3Thinking): Layout {
  const { hasBlocks, isDisabled, isKeptInHistory } = thinking;
  return {
    hasExtensionProperty: isKeptInHistory || !hasBlocks,
    disablesThinking: isDisabled,
    prelude: () => [],
    checkMessage: refuseImages,
    render(place) {
      return {
        header: [{ text: header(place.message.role, place.index) }],
        output: [{ text: body(place, thinking), literal: true }, { token: END }],
      };
    },
    // The block closes whatever the role: that is how the reference invites a user to write.
    opening: (role, messages) => [
      { text: [...header(role, messages.length), isDisabled ? EMPTY_BLOCK : ""] },
    ],
    declareTools: declareQwen3Tools,
    instructions: [QWEN3_CALL_FORMAT],
    reply: {
      stop: { tokens: [END] },
      read: (text) =>
        readTaggedReply(text, { isPadded: hasBlocks, keepsNothing: false, readCall: readJsonCall }),
      streaming: {},
    },
  };
}

/** The line that introduces a message; what a tool says is said by a user. The line break belongs to what comes behind it. */
function header(role: string, index: number): TextRun[] {
  return [`${index === 0 ? "" : "\n"}<|im_start|>`, given(role === "tool" ? "user" : role), "\n"];
}

function body(place: Place, thinking: Qwen3Thinking): readonly TextRun[] {
  const { message, index } = place;
  const said = given(textOf(message.content));
  if (message.role === "tool") return ["<tool_response>\n", said, "\n</tool_response>"];
  if (message.role !== "assistant") return [said];
  const isKept = place.isLast || thinking.isKeptInHistory;
  const hasUser = place.lastUserIndex !== -1;
  if (thinking.isDisabled && isKept && !hasUser) {
    throw refusal(index, "answers no user", "put the user message that it answers in front of it");
  }
  const isFramed = thinking.hasBlocks && isKept && hasUser;
  const content = isKept ? message.content : withoutThinking(message.content);
  const parts = isFramed && typeof content === "string" ? splitBlock(content) : contentParts(content);
  const needsBlock = isFramed && !hasThinking(parts);
  const written = needsBlock ? [given(stripStart(textOf(parts), "\n"))] : contentRuns(parts, isFramed);
  const calls = (message.tool_calls ?? []).map((call): TextRun[] => [
    "<tool_call>\n",
    given(writeJsonCall(call)),
    "\n</tool_call>",
  ]);
  // As the template does it, text of line breaks alone still has one between itself and the calls.
  const hasText = (needsBlock ? textOf(parts) : textOfRuns(written)) !== "";
  const shown = joinRuns([...(hasText ? [written] : []), ...calls], "\n");
  return needsBlock ? [EMPTY_BLOCK, ...shown] : shown;
}

/** The parts of text in which a thinking block is written out. */
function splitBlock(text: string): readonly ContentPart[] {
  const close = text.indexOf("</think>");
  if (close === -1) return contentParts(text);
  const thinking = text.slice(0, close).replace(/^[\s\S]*<think>/, "");
  return [
    { type: "thinking", thinking },
    { type: "text", text: text.slice(close + "</think>".length) },
  ];
}

/** The line breaks of a framed block are the layout's: the thinking and the text behind it bring none. */
function contentRuns(parts: readonly ContentPart[], isFramed: boolean): TextRun[] {
  return parts.flatMap((part, index): TextRun[] => {
    if (part.type === "text") {
      const followsBlock = isFramed && parts[index - 1]?.type === "thinking";
      return [given(followsBlock ? stripStart(part.text, "\n") : part.text)];
    }
    if (part.type !== "thinking") return [];
    return isFramed
      ? ["<think>\n", given(strip(part.thinking, "\n")), "\n</think>\n\n"]
      : ["<think>", given(part.thinking), "</think>"];
  });
}
