import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyChatTemplate, type ChatTemplateOptions } from "../chat/apply-chat-template.js";
import {
  loadRecordedTokenizer,
  recordedChunks,
  recordedConversations,
  recordedEncodings,
  recordedTokenizers,
} from "../testing/recorded-tokenizers.js";
import { encodeChunks } from "./encode-chunks.js";

function toOptions(recorded: Readonly<Record<string, boolean>>): ChatTemplateOptions {
  const {
    add_generation_prompt: addGenerationPrompt = false,
    continue_final_message: continueFinalMessage = false,
    ...variables
  } = recorded;
  return { addGenerationPrompt, continueFinalMessage, variables, allowedSpecial: "all" };
}

// All that is recorded of a tokenizer in one place: most of the time goes into loading it.
describe.each(recordedTokenizers)("$name against Python", async ({ name, directory }) => {
  const recorded = recordedEncodings(name);
  const tokenizer = await loadRecordedTokenizer(name);

  it.each(Object.entries(recorded.files))("reads the same %s", (file, { sha256 }) => {
    expect(
      createHash("sha256")
        .update(readFileSync(join(directory, file)))
        .digest("hex"),
    ).toBe(sha256);
  });

  it("has as many tokens", () => {
    expect(tokenizer.vocabularySize).toBe(recorded.vocab_size_with_added);
  });

  it.each(recorded.strings)(
    "encodes and decodes: $name",
    ({ text, ids, decode, decode_skip_special: skipped }) => {
      expect(tokenizer.encode(text, { allowedSpecial: "all" })).toEqual(ids);
      expect(tokenizer.decode(ids)).toBe(decode ?? text);
      expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe(skipped ?? decode ?? text);
    },
  );

  it("puts the same special tokens around a text", () => {
    const ids = [...recorded.add_special_tokens_prefix, ...tokenizer.encode("a b")];
    expect(tokenizer.encode("a b", { addSpecialTokens: true })).toEqual(ids);
  });

  it.each(recorded.lone_surrogates)(
    "encodes half a character as U+FFFD: $name",
    ({ text, repaired_ids: ids }) => {
      expect(tokenizer.encode(text, { allowedSpecial: "all" })).toEqual(ids);
    },
  );

  it.each(recorded.decode)("decodes ids that are no whole text: $name", (entry) => {
    if (entry.prefix_decodes !== undefined) {
      const texts = entry.ids.map((_, index) => tokenizer.decode(entry.ids.slice(0, index + 1)));
      expect(texts).toEqual(entry.prefix_decodes);
      return;
    }
    expect(tokenizer.decode(entry.ids)).toBe(entry.decode);
    expect(tokenizer.decode(entry.ids, { skipSpecialTokens: true })).toBe(entry.decode_skip_special);
  });

  it.each(recordedConversations(name))("renders: $name", ({ messages, tools, variants }) => {
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
      if (expected === undefined || !("text" in expected)) {
        expect(render).toThrow();
      } else {
        expect(render()).toEqual(expected);
        // What keeps special tokens in messages text must not show to the template.
        expect(render({ allowedSpecial: [] }).text).toBe(expected.text);
      }
    }
  });

  it.skipIf(tokenizer.chatTemplates.size === 0)("keeps special tokens in messages text, each of them", () => {
    const specialIds = (content: string, options: ChatTemplateOptions = {}) => {
      const { text, ids } = applyChatTemplate(tokenizer, [{ role: "user", content }], options);
      expect(text).toContain(content);
      return ids.filter((id) => [...tokenizer.specialTokens.values()].includes(id));
    };
    const all = [...tokenizer.specialTokens.keys()].join(" ");
    const own = specialIds("hi");
    expect(specialIds(`hi ${all}.`)).toEqual(own);
    expect(specialIds(`hi ${all}.`, { allowedSpecial: "all" }).length).toBeGreaterThan(own.length);
  });

  it.each(recordedChunks(name))(
    "encodes chunks as the cookbook's $renderer: $conversation",
    ({ chunks, whole }) => {
      const texts = chunks.map(({ ids: _, ...chunk }) => chunk);
      expect(encodeChunks(tokenizer, texts)).toEqual(chunks.map((chunk) => chunk.ids));
      const joined = texts.map((chunk) => chunk.text).join("");
      expect(tokenizer.encode(joined, { allowedSpecial: "all" })).toEqual(whole);
    },
  );
});
