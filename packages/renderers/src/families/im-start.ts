import { type ImageProcessor, imageChunk } from "../images/image-processor.js";
import type { ContentPart, Message, TextPart } from "../messages/message.js";
import { contentParts } from "../messages/message-content.js";
import type { Stretch } from "../pieces/join-pieces.js";
import type { Piece } from "../pieces/piece.js";
import { given, type TextRun } from "../pieces/text-run.js";
import { strip, stripEnd, stripStart } from "../text/strip-text.js";

export const END = "<|im_end|>";

/** Introduction of a message: the line break behind the message before it belongs to it. */
export function imStart(role: string, isFirst: boolean): TextRun[] {
  return [`${isFirst ? "" : "\n"}<|im_start|>`, given(role), "\n"];
}

/** Introduction of a message nobody has written yet, in a conversation that has one already. */
export function imStartOpening(role: string, messages: readonly Message[], thinkingOpening: string): Piece[] {
  return [{ text: [...imStart(role, messages.length === 0), thinkingOpening] }];
}

export interface ContentStyle {
  /** A thinking part, with its tags. */
  readonly thinking: (thinking: string) => readonly TextRun[];
  /** True where the white space around the text of content in parts is dropped, as it is of content in a string. */
  readonly stripsParts: boolean;
  readonly imageProcessor?: ImageProcessor | undefined;
}

/** A content as text and pictures. */
export function contentStretches(
  { content }: Message,
  keepsThinking: boolean,
  { thinking, stripsParts, imageProcessor }: ContentStyle,
): Stretch[] {
  if (typeof content === "string") return [given(strip(content))];
  const kept = content.filter(({ type }) => keepsThinking || type !== "thinking");
  return (stripsParts ? stripTexts(kept) : kept).flatMap((part): Stretch[] => {
    if (part.type === "text") return [given(part.text)];
    if (part.type === "thinking") return [...thinking(part.thinking)];
    return ["<|vision_start|>", imageChunk(part, imageProcessor), "<|vision_end|>"];
  });
}

/** Parts without the whitespace around their text, taken together: thinking and pictures between them do not count. */
function stripTexts(parts: readonly ContentPart[]): ContentPart[] {
  const isText = (part: ContentPart): part is TextPart => part.type === "text";
  const texts = parts.map((part) => (isText(part) ? part.text : ""));
  const first = texts.findIndex((text) => strip(text) !== "");
  const last = texts.findLastIndex((text) => strip(text) !== "");
  return parts.map((part, place) => {
    if (!isText(part)) return part;
    if (first === -1 || place < first || place > last) return { ...part, text: "" };
    const start = place === first ? stripStart(part.text) : part.text;
    return { ...part, text: place === last ? stripEnd(start) : start };
  });
}

/** Tells whether a message thinks: in a part, or in tags that its content as a string spells out. */
export function spellsThinking({ content }: Message): boolean {
  return typeof content === "string"
    ? content.includes("<think>")
    : content.some(({ type }) => type === "thinking");
}

/** Tells whether a message shows nothing but thinking. */
export function showsNothing(content: Message["content"]): boolean {
  return contentParts(content).every(
    (part) => part.type === "thinking" || (part.type === "text" && part.text === ""),
  );
}
