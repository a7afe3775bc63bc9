import { checkObject } from "@tinkex/base";
import { checkParts, refusal } from "./check-messages.js";
import type { ContentPart, Message } from "./message.js";

type Content = Message["content"];

/** The parts of a content; text is one part. @throws ValidationError for what is neither text nor a list of parts */
export function contentParts(content: Content): readonly ContentPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  checkParts(content);
  return content;
}

/** The text of a content, thinking and pictures left out. */
export function textOf(content: Content): string {
  return contentParts(content)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("");
}

/** The thinking in a content, `""` for none. */
export function thinkingOf(content: Content): string {
  return contentParts(content)
    .map((part) => (part.type === "thinking" ? part.thinking : ""))
    .join("");
}

/** Tells whether a content has a thinking part. */
export function hasThinking(content: Content): boolean {
  return contentParts(content).some(({ type }) => type === "thinking");
}

/** A content without its thinking parts. */
export function withoutThinking(content: Content): Content {
  return typeof content === "string"
    ? content
    : contentParts(content).filter(({ type }) => type !== "thinking");
}

/** A content as one string, for people to read: parts on lines of their own, thinking in `<think>` tags. */
export function contentAsText(content: Content): string {
  return contentParts(content)
    .map((part) => {
      if (part.type === "text") return part.text;
      return part.type === "thinking" ? `<think>${part.thinking}</think>` : "<image>";
    })
    .join("\n");
}

/**
 * The text of a message that must be text alone.
 *
 * @throws ValidationError naming the message, when it has several parts or one that is not text
 */
export function onlyText(message: Message, index: number): string {
  checkObject(message, "message", '{ role: "user", content: "Hi" }');
  if (typeof message.content === "string") return message.content;
  const parts = contentParts(message.content);
  const [part] = parts;
  if (parts.length === 1 && part?.type === "text") return part.text;
  throw refusal(
    index,
    "has content in parts, which this renderer cannot show",
    "join its text to one string, and leave thinking and images out",
  );
}
