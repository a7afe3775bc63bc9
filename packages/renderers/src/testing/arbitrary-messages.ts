import fc from "fast-check";
import type { Message, ToolCall } from "../messages/message.js";

/** Parts that a family can show in a message of the assistant. */
export interface Shows {
  readonly hasThinking?: boolean;
  /** Most calls of tools that it ends one message with. */
  readonly calls?: number;
}

/**
 * Text without markers, as tokenizers normalise it, and without white space around it, which some families trim or add.
 */
export const arbitraryText: fc.Arbitrary<string> = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
  .map((text) =>
    text
      .normalize("NFC")
      .replace(/[<>|｜\uFFFD]/g, "")
      .trim(),
  )
  .filter((text) => text !== "");

const arbitraryCall: fc.Arbitrary<ToolCall> = fc
  .record({
    name: fc.stringMatching(/^[a-z][a-z_]{0,8}$/),
    args: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,6}$/),
      fc.oneof(arbitraryText, fc.integer(), fc.boolean()),
    ),
  })
  .map(({ name, args }) => ({
    type: "function",
    id: null,
    function: { name, arguments: JSON.stringify(args) },
  }));

/** A message of the assistant. */
export function arbitraryAnswer({ hasThinking = false, calls = 0 }: Shows): fc.Arbitrary<Message> {
  return fc
    .record({
      text: arbitraryText,
      thought: hasThinking ? fc.option(arbitraryText) : fc.constant(null),
      made: fc.array(arbitraryCall, { maxLength: calls }),
    })
    .map(({ text, thought, made }) => ({
      role: "assistant",
      content:
        thought === null
          ? text
          : [
              { type: "thinking", thinking: thought },
              { type: "text", text },
            ],
      ...(made.length > 0 && { tool_calls: made }),
    }));
}

/** A conversation in which user and assistant take turns, perhaps with a system message first; the assistant has the last word. */
export function arbitraryChat(shows: Shows): fc.Arbitrary<Message[]> {
  const turn = fc.tuple(
    arbitraryText.map((content): Message => ({ role: "user", content })),
    arbitraryAnswer(shows),
  );
  return fc
    .tuple(fc.option(arbitraryText), fc.array(turn, { minLength: 1, maxLength: 3 }))
    .map(([system, turns]) => [
      ...(system === null ? [] : [{ role: "system", content: system }]),
      ...turns.flat(),
    ]);
}
