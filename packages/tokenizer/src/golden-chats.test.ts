import { describe, expect, it } from "vitest";
import { applyChatTemplate, type ChatTemplateOptions } from "./apply-chat-template.js";
import { loadTokenizer } from "./load-tokenizer.js";
import { recordedConversations, recordedTokenizers } from "./testing/recorded-tokenizers.js";

function toOptions(recorded: Readonly<Record<string, boolean>>): ChatTemplateOptions {
  const {
    add_generation_prompt: addGenerationPrompt = false,
    continue_final_message: continueFinalMessage = false,
    ...variables
  } = recorded;
  return { addGenerationPrompt, continueFinalMessage, variables, allowedSpecial: "all" };
}

/** Where Python renders a list as Python source or a missing content as nothing, ours refuses. */
const REFUSED_HERE = new Set([
  "llama3 content parts",
  "llama3 content null",
  "llama3_1 content parts",
  "llama3_1 content null",
]);

const withTemplate = recordedTokenizers.filter(({ name }) => name !== "gptoss");

describe.each(withTemplate)("chats of $name against transformers", async ({ name, directory }) => {
  const tokenizer = await loadTokenizer(directory);

  it.each(recordedConversations(name))("$name", ({ name: conversation, messages, tools, variants }) => {
    const find = (options: Readonly<Record<string, boolean>>) =>
      variants.find((variant) => JSON.stringify(variant.options) === JSON.stringify(options))?.result;
    for (const { options, result } of variants) {
      const expected = "same_as" in result ? find(result.same_as) : result;
      const render = (changes: ChatTemplateOptions = {}) =>
        applyChatTemplate(tokenizer, messages, {
          ...toOptions(options),
          ...changes,
          ...(tools === undefined ? {} : { tools }),
        });
      if (expected === undefined || !("text" in expected) || REFUSED_HERE.has(`${name} ${conversation}`)) {
        expect(render).toThrow();
      } else {
        expect(render()).toEqual(expected);
        // What keeps special tokens in messages text must not show to the template.
        expect(render({ allowedSpecial: [] }).text).toBe(expected.text);
      }
    }
  });
});
