import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import type { Message } from "../messages/message.js";
import { type BuiltInRendererName, getRenderer } from "../registry/get-renderer.js";
import { recordedTokenizer } from "../testing/recorded-tokenizers.js";
import { readRecording } from "../testing/recording.js";

const tokenizer = recordedTokenizer(readRecording("qwen3_5").tokenizer);
const user: Message = { role: "user", content: "Hi" };
const image: Message = { role: "user", content: [{ type: "image", image: "data:image/png;base64," }] };
const thinkingUser: Message = { role: "user", content: [{ type: "thinking", thinking: "hm" }] };
const callWith = (args: string): Message => ({
  role: "assistant",
  content: "",
  tool_calls: [{ type: "function", id: null, function: { name: "f", arguments: args } }],
});

/** Messages that a renderer cannot show, and what the error names. */
const REFUSED: readonly [BuiltInRendererName, Message, string][] = [
  ["qwen3_5", image, "has no imageProcessor"],
  ["qwen3_5", callWith("[1]"), "calls f with arguments that are not an object of JSON"],
  ["nemotron3", image, "which this model does not see"],
  ["qwen3", image, "which this model does not see"],
  ["glm5_3_max_reasoning", image, "which this model does not see"],
  ["nemotron3", callWith("[1]"), "not an object of JSON"],
  ["glm5_3_max_reasoning", { role: "developer", content: "" }, 'has the role "developer"'],
  ["glm5_3_max_reasoning", thinkingUser, "only the assistant does"],
  ["deepseekv4_1", { role: "developer", content: "" }, 'has the role "developer"'],
  ["deepseekv4_1", { role: "tool_declare", content: "[]" }, "declares tools behind other messages"],
  [
    "kimi_k2",
    {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    },
    "in parts",
  ],
  ["kimi_k25", thinkingUser, "only the assistant does"],
  ["kimi_k25", image, "has no imageProcessor"],
  ["qwen3_8_xhigh_reasoning", image, "has no imageProcessor"],
  ["qwen3_vl", image, "has no imageProcessor"],
];

describe("what a family cannot show", () => {
  it.each(REFUSED)("cookbook 7: %s refuses %j and names the message", (name, message, fault) => {
    const renderer = getRenderer(name, tokenizer);
    const build = () => renderer.buildGenerationPrompt([user, message]);
    expect(build).toThrow(ValidationError);
    expect(build).toThrow("messages[1] ");
    expect(build).toThrow(fault);
  });

  it("DeepSeek V4.1 refuses declarations that are none, and messages it would join under different flags", () => {
    const renderer = getRenderer("deepseekv4_1", tokenizer);
    expect(() => renderer.buildGenerationPrompt([{ role: "tool_declare", content: "{}" }, user])).toThrow(
      "messages[0] declares no tools",
    );
    const flagged = [
      { ...user, trainable: true },
      { ...user, trainable: false },
      { role: "assistant", content: "x", trainable: true },
    ];
    expect(() => renderer.buildSupervisedExample(flagged, { trainOn: "customized" })).toThrow("messages[1]");
  });

  it.each(["deepseekv3", "gpt_oss_no_sysprompt"] as const)(
    "%s refuses an image of the assistant, as of anybody else",
    (name) => {
      const renderer = getRenderer(name, recordedTokenizer(readRecording(name).tokenizer));
      const seen = { ...image, role: "assistant" };
      expect(() => renderer.buildGenerationPrompt([user, seen, user])).toThrow(
        "messages[1] has an image, which this model does not see",
      );
      expect(() => renderer.buildGenerationPrompt([user, image])).toThrow("messages[1] ");
    },
  );

  it("shows no tools where there are none", () => {
    for (const name of ["qwen3_5", "nemotron3", "glm5_3_max_reasoning", "deepseekv4_1", "kimi_k2"] as const) {
      const declared = getRenderer(name, tokenizer).declareTools([], "Be brief.");
      expect(
        declared.map(({ content }) => content),
        name,
      ).toEqual(["Be brief."]);
    }
  });
});
