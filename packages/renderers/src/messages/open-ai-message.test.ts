import { expect, it } from "vitest";
import { toOpenAiMessage } from "./open-ai-message.js";

const call = { type: "function", id: "call-1", function: { name: "add", arguments: "{}" } } as const;

it("moves thinking beside the content, and keeps calls", () => {
  const content = [
    { type: "thinking", thinking: "Hm. " },
    { type: "text", text: "Let me " },
    { type: "thinking", thinking: "Add." },
    { type: "text", text: "see." },
  ] as const;
  expect(toOpenAiMessage({ role: "assistant", content, tool_calls: [call] })).toEqual({
    role: "assistant",
    content: "Let me see.",
    reasoning_content: "Hm. Add.",
    tool_calls: [call],
  });
});

it("leaves a tool's answer and a message with an image as they are", () => {
  const answer = { role: "tool", content: "2", tool_call_id: "call-1", name: "add" };
  expect(toOpenAiMessage(answer)).toEqual(answer);
  const seen = {
    role: "user",
    content: [
      { type: "text", text: "Look: " },
      { type: "image", image: "data:image/png;base64,AA==" },
    ],
  } as const;
  expect(toOpenAiMessage(seen)).toEqual(seen);
});
