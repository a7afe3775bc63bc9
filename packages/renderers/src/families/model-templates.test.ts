import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Message, ToolDeclaration } from "../messages/message.js";
import { type BuiltInRendererName, getRenderer } from "../registry/get-renderer.js";
import type { Renderer } from "../renderer/renderer.js";
import { idsOf } from "../testing/ids-of.js";
import { phraseTokenizer } from "../testing/phrase-tokenizer.js";
import { comparedTemplates, type TemplateDifference } from "../testing/template-differences.js";

/** Chats that renderers and templates are asked to write. */
interface TemplateChats {
  readonly tools: readonly ToolDeclaration[];
  readonly chats: Readonly<
    Record<string, { readonly messages: readonly Message[]; readonly tools?: boolean }>
  >;
}

/** Recording of `fixtures/record_templates.py`: by template, way of asking and chat. */
type TemplateTexts = Readonly<
  Record<
    string,
    { readonly texts: Readonly<Record<string, Readonly<Record<string, { text?: string; error?: string }>>>> }
  >
>;

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), "utf8"));
const { tools, chats }: TemplateChats = read("template-chats");
const recorded: TemplateTexts = read("template-texts");

/** A tokenizer that gives the text back as it was, so that texts are compared and not ids. */
const tokenizer = { ...phraseTokenizer(), namedTokens: { bos: "<|begin_of_text|>" } };

function rendererOf(name: BuiltInRendererName): Renderer {
  return name === "gpt_oss_medium_reasoning" || name === "gpt_oss_high_reasoning"
    ? getRenderer(name, tokenizer, { currentDate: "2026-01-31" })
    : getRenderer(name, tokenizer);
}

/** The text of a chat by a renderer: a prompt, or a document where the assistant has the last word. */
function write(renderer: Renderer, chat: string): string {
  const { messages, tools: hasTools = false } = chats[chat] ?? expect.fail(`there is no chat ${chat}`);
  const [first, ...rest] = messages;
  const declared = !hasTools
    ? messages
    : first?.role === "system"
      ? [...renderer.declareTools(tools, String(first.content)), ...rest]
      : [...renderer.declareTools(tools), ...messages];
  const isDocument = messages.at(-1)?.role === "assistant";
  return tokenizer.decode(
    idsOf(
      isDocument
        ? renderer.buildSupervisedExample(declared, { trainOn: "all_tokens" }).modelInput
        : renderer.buildGenerationPrompt(declared),
    ),
  );
}

function apply(
  text: string,
  chat: string,
  { changes = [], end = "", chats: only }: TemplateDifference,
): string {
  if (only !== undefined && !only.includes(chat)) return text;
  return changes.reduce((changed, [ours, theirs]) => changed.replaceAll(ours, theirs), text) + end;
}

// thinking-machines-lab/tinker-cookbook#837 and #177: texts of renderers that were other than those of the model's template.
for (const { template, renderers, differences, unsaid } of comparedTemplates) {
  describe.each(Object.entries(renderers))(`%s and the template ${template}`, (name, mode) => {
    const renderer = rendererOf(name as BuiltInRendererName);
    const texts = recorded[template]?.texts[mode] ?? expect.fail(`${template} is not recorded`);
    const own = differences.filter(
      ({ renderers: only }) => only?.includes(name as BuiltInRendererName) ?? true,
    );
    const notSaid = unsaid.flatMap(({ chats: those }) => those);
    const asTemplate = (chat: string) =>
      own.reduce((text, difference) => apply(text, chat, difference), write(renderer, chat));

    it("write the same text of what both can say, but for the differences that the docs list", () => {
      const said = Object.keys(chats).filter((chat) => !notSaid.includes(chat));
      expect(Object.fromEntries(said.map((chat) => [chat, { text: asTemplate(chat) }]))).toEqual(
        Object.fromEntries(said.map((chat) => [chat, texts[chat]])),
      );
    });

    it("still have each difference that the docs list", () => {
      for (const difference of own) {
        const found = Object.keys(chats).filter(
          (chat) =>
            !notSaid.includes(chat) &&
            apply(write(renderer, chat), chat, difference) !== write(renderer, chat),
        );
        expect(found, difference.why).not.toEqual([]);
        // Without it the texts are not the same.
        for (const chat of difference.chats ?? found) {
          const others = own.filter((other) => other !== difference);
          const text = others.reduce((given, other) => apply(given, chat, other), write(renderer, chat));
          expect(text, `${difference.why} ${chat}`).not.toBe(texts[chat]?.text);
        }
      }
      for (const chat of notSaid) {
        const text = (() => {
          try {
            return asTemplate(chat);
          } catch {
            return undefined;
          }
        })();
        expect(text === undefined || text !== texts[chat]?.text, chat).toBe(true);
      }
    });
  });
}
