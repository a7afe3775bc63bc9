import { findSteepGrowth } from "@tinkex-tooling/regular-expressions";
import { describe, expect, it } from "vitest";
import type { Message } from "../messages/message.js";
import { builtInRenderers } from "../registry/built-in-renderers.js";
import { type BuiltInRendererName, getRenderer } from "../registry/get-renderer.js";
import { phraseTokenizer } from "../testing/phrase-tokenizer.js";

const RUNS = ["\n", " ", "<", "<think>", "</think>", "\\", "[", '{"a":'];
const FIELDS: Readonly<Record<string, (text: string) => Message>> = {
  content: (content) => ({ role: "assistant", content }),
  "content in parts": (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
  thinking: (thinking) => ({
    role: "assistant",
    content: [
      { type: "thinking", thinking },
      { type: "text", text: thinking },
    ],
  }),
  arguments: (text) => ({
    role: "assistant",
    content: "",
    tool_calls: [
      { type: "function", id: null, function: { name: "f", arguments: JSON.stringify({ a: text }) } },
    ],
  }),
};
/** What these families cannot show: parts and calls, thinking of those that do not think. */
const SHOWN = (name: string, field: string): boolean => {
  if (name === "role_colon" || name === "llama3") return field.startsWith("content");
  return field !== "thinking" || !name.includes("disable");
};

describe("a message twice as long takes at most twice as long to write", () => {
  it.each(Object.keys(builtInRenderers) as BuiltInRendererName[])("%s", (name) => {
    const renderer = getRenderer(name, phraseTokenizer());
    const steep = Object.entries(FIELDS)
      .filter(([field]) => SHOWN(name, field))
      .flatMap(([field, message]) =>
        RUNS.flatMap((run) => {
          const growth = findSteepGrowth(
            (text) => {
              const chat = [{ role: "user", content: text }, message(text)];
              renderer.buildSupervisedExample(chat, { trainOn: "all_tokens" });
            },
            (length) => `a${run.repeat(Math.ceil(length / run.length))}x`,
          );
          return growth === undefined ? [] : [{ field, run, growth }];
        }),
      );
    expect(steep).toEqual([]);
  });
});
