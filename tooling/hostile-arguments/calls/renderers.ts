import {
  contentAsText,
  createLayoutRenderer,
  datumFromMessages,
  datumFromTokens,
  datumsFromMessages,
  getRenderer,
  hasThinking,
  imageTokenCount,
  onlyText,
  registerRenderer,
  rendererFromReference,
  rendererNameFor,
  rendererNamesFor,
  textOf,
  thinkingOf,
  toOpenAiMessage,
  withoutThinking,
} from "@tinkex/renderers";
import { createChatTemplateRenderer } from "@tinkex/renderers/chat-template";
import type { TextTokenizer } from "@tinkex/tokenizer";
import { whole } from "../hostile-values.js";
import { call, type PublicCalls } from "../public-call.js";

const message = () => ({ role: "user", content: "hello" });
const chat = () => [message(), { role: "assistant", content: "hi" }];
const tools = () => [{ name: "f", description: "d", parameters: { type: "object", properties: {} } }];
const parts = () => [{ type: "text" as const, text: "hello" }];
const layout: Parameters<typeof createLayoutRenderer>[0] = whole({
  hasExtensionProperty: true,
  prelude: () => [],
  render: () => ({ header: [], output: [] }),
  opening: () => [],
  reply: { stop: { text: ["\n"] }, read: () => ({ content: "" }) },
});

/** Functions of `@tinkex/renderers` and of its entry for templates. */
export function renderersCalls(tokenizer: TextTokenizer): PublicCalls {
  const renderer = whole(getRenderer("role_colon", tokenizer));
  return {
    contentAsText: call(contentAsText, () => [parts()]),
    createLayoutRenderer: call(createLayoutRenderer, () => [layout, tokenizer, { name: "Acme/chat" }, {}]),
    datumFromMessages: call(datumFromMessages, () => [renderer, chat(), { maxLength: 1000 }]),
    datumFromTokens: call(datumFromTokens, () => [[1, 2, 3], [0, 1, 1], { maxLength: 10 }]),
    datumsFromMessages: call(datumsFromMessages, () => [renderer, chat(), { maxLength: 1000 }]),
    getRenderer: call(getRenderer, () => [
      "role_colon",
      tokenizer,
      { model: "acme/model", literalText: true },
    ]),
    hasThinking: call(hasThinking, () => [parts()]),
    imageTokenCount: call(imageTokenCount, () => [{ width: 64, height: 64 }, { patchSize: 16 }]),
    onlyText: call(onlyText, () => [message(), 0]),
    registerRenderer: call(registerRenderer, () => ["Acme/chat", () => layout]),
    rendererFromReference: call(rendererFromReference, () => [
      { name: "role_colon", model: "m", options: { literalText: true } },
      tokenizer,
    ]),
    rendererNameFor: call(rendererNameFor, () => ["Qwen/Qwen3-8B"]),
    rendererNamesFor: call(rendererNamesFor, () => ["Qwen/Qwen3-8B"]),
    textOf: call(textOf, () => [parts()]),
    thinkingOf: call(thinkingOf, () => [parts()]),
    toOpenAiMessage: call(toOpenAiMessage, () => [message()]),
    withoutThinking: call(withoutThinking, () => [parts()]),
    createChatTemplateRenderer: call(createChatTemplateRenderer, () => [tokenizer, {}]),
    "renderer.buildGenerationPrompt": call(renderer.buildGenerationPrompt.bind(renderer), () => [
      chat(),
      { role: "assistant", prefill: "x" },
    ]),
    "renderer.buildSupervisedExample": call(renderer.buildSupervisedExample.bind(renderer), () => [
      chat(),
      { trainOn: "all_assistant_messages" },
    ]),
    "renderer.buildSupervisedExamples": call(renderer.buildSupervisedExamples.bind(renderer), () => [
      chat(),
      { trainOn: "all_assistant_messages" },
    ]),
    "renderer.parseResponse": call(renderer.parseResponse.bind(renderer), () => [[1, 2]]),
    "renderer.parseResponseStreaming": call(
      (options: never) => getRenderer("qwen3", tokenizer).parseResponseStreaming(options),
      () => [{ startsInThinking: false }],
    ),
    "renderer.declareTools": call(
      (declared: never, system: string) => getRenderer("qwen3", tokenizer).declareTools(declared, system),
      () => [tools(), "x"],
    ),
  };
}
