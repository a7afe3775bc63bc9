import { expect, it } from "vitest";
import { getRenderer } from "../../registry/get-renderer.js";
import { anyTokenizerFor } from "../../testing/any-tokenizer.js";
import { idsOf } from "../../testing/ids-of.js";
import { walkRecording } from "../../testing/walk-recording.js";

for (const name of ["qwen3", "qwen3_disable_thinking", "qwen3_instruct", "qwen3_keep_thinking"] as const) {
  walkRecording(name, (tokenizer) => getRenderer(name, tokenizer));
}

it.each([
  ["", "</think>\n\n<tool_call>"],
  ["\n", "</think>\n\n\n<tool_call>"],
  ["x", "</think>\n\nx\n<tool_call>"],
  ["\nx\n", "</think>\n\nx\n\n<tool_call>"],
])("text of line breaks alone has one between itself and calls: %j", (content, shown) => {
  const tokenizer = anyTokenizerFor("qwen3");
  const call = { type: "function", id: null, function: { name: "f", arguments: "{}" } } as const;
  const chat = [
    { role: "user", content: "Hi" },
    { role: "assistant", content, tool_calls: [call] },
  ];
  const { modelInput } = getRenderer("qwen3", tokenizer).buildSupervisedExample(chat);
  expect(tokenizer.decode(idsOf(modelInput))).toContain(shown);
});
