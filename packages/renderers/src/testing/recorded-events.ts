import type { Message } from "../messages/message.js";
import type { Renderer } from "../renderer/renderer.js";
import type { RecordedResponse } from "./recording.js";

type RecordedEvent =
  | { readonly header: string }
  | { readonly text: string; readonly index: number }
  | { readonly thinking: string; readonly index: number };

/**
 * The events of a response, one token at a time, in the recording's shape. The reference looks at the whole response first:
 * one with a `</think>` but no `<think>` starts in thinking.
 */
export function recordedEvents(
  renderer: Renderer,
  { ids, response_text: text, message }: RecordedResponse,
): (RecordedEvent | { readonly message: Message })[] {
  const content = message?.content;
  const thinks = Array.isArray(content) && content.some((part) => part.type === "thinking");
  const stream = renderer.parseResponseStreaming({
    startsInThinking:
      text.includes("</think>") && !text.includes("<think>") && (thinks || Array.isArray(content)),
  });
  return [...ids.flatMap((id) => stream.push(id)), ...stream.end()].map((event) => {
    if (event.type === "header") return { header: event.role };
    if (event.type === "message") return { message: event.message };
    const { type: _, ...rest } = event;
    return rest;
  });
}
