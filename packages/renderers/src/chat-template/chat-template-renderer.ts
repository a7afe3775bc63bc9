import { checkArray, checkKnownNames, describeValue, type Tokenizer, ValidationError } from "@tinkex/base";
import { isTextTokenizer, type TextTokenizer } from "@tinkex/tokenizer";
import { applyChatTemplate, parsePythonJson, type TemplateMessage } from "@tinkex/tokenizer/chat-template";
import type { ModelInput } from "@tinkex/types";
import { refuseImages } from "../images/refuse-images.js";
import { checkMessages, refusal } from "../messages/check-messages.js";
import { checkTool } from "../messages/check-tool.js";
import type { Message, ToolDeclaration } from "../messages/message.js";
import { toOpenAiMessage } from "../messages/open-ai-message.js";
import { literalEncoder } from "../pieces/literal-encoder.js";
import { specialTokenId } from "../pieces/piece.js";
import { given } from "../pieces/text-run.js";
import {
  GENERATION_PROMPT_OPTIONS,
  type Renderer,
  SUPERVISED_EXAMPLE_OPTIONS,
} from "../renderer/renderer.js";
import { parseReply } from "../replies/parse-reply.js";
import { readTaggedReply } from "../replies/read-tagged-reply.js";
import type { Reply } from "../replies/reply.js";
import { streamReply } from "../replies/stream-reply.js";
import { stripEnd } from "../text/strip-text.js";
import { readArguments } from "../tool-calls/call-arguments.js";
import { argumentsText, readJsonCall } from "../tool-calls/json-tool-call.js";
import { templateExample, templateExamples } from "./template-example.js";

export interface ChatTemplateRendererOptions {
  /** Name that the renderer gives itself. @defaultValue "chat_template" */
  readonly name?: string;
  readonly model?: string;
  /** Tools for the model, shown as its template shows them. */
  readonly tools?: readonly ToolDeclaration[];
  /** Variables of the template, such as `{ enable_thinking: false }`. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** A Jinja template, or the name of one of the tokenizer's. @defaultValue the tokenizer's own */
  readonly template?: string;
  /**
   * Keeps added tokens that are not special, such as `<think>` of Qwen3 and `<｜User｜>` of DeepSeek-V3, as text where messages, tools
   * or a prefill spell them out. Special tokens stay text in any case, in all fields and in roles.
   * @defaultValue false
   */
  readonly literalText?: boolean;
  /**
   * The end of the model's messages, and the reader of what it wrote.
   * @defaultValue it ends with the tokenizer's `eos`, thinks in `<think>` tags and calls tools with JSON in `<tool_call>` tags
   */
  readonly reply?: Reply;
}

const OPTIONS: Readonly<Record<keyof ChatTemplateRendererOptions, true>> = {
  name: true,
  model: true,
  tools: true,
  variables: true,
  template: true,
  literalText: true,
  reply: true,
};

/**
 * A renderer that leaves the layout to the chat template of the model. What is trained on follows from rendering heads of the
 * conversation and comparing; a conversation one of whose heads is rendered in another way is refused rather than guessed at.
 * Templates that drop earlier thinking are such: take `buildSupervisedExamples` for them, or a renderer by name.
 *
 * Special tokens that messages, roles, tools or a prefill spell out stay text; other added tokens do with the option `literalText`.
 * What the template itself makes of tags in a text, such as cutting thinking out of it, it does all the same.
 *
 * @throws ValidationError when the tokenizer has no template, or no token that ends a message
 */
export function createChatTemplateRenderer(
  tokenizer: Tokenizer | TextTokenizer,
  options: ChatTemplateRendererOptions = {},
): Renderer {
  checkKnownNames(options, OPTIONS, "the options of createChatTemplateRenderer");
  if (!isTextTokenizer(tokenizer)) {
    throw new ValidationError(
      "createChatTemplateRenderer: tokenizer must be one of @tinkex/tokenizer, which knows the template of its model",
      { path: ["tokenizer"] },
    );
  }
  const { name = "chat_template", model, tools, variables, template, literalText = false } = options;
  if (tools !== undefined) {
    checkArray(tools, "createChatTemplateRenderer: tools");
    for (const [index, tool] of tools.entries())
      checkTool(tool, `createChatTemplateRenderer: tools[${index}]`);
  }
  const render = (messages: readonly Message[], addGenerationPrompt: boolean) =>
    applyChatTemplate(tokenizer, messages.map(templateMessage), {
      addGenerationPrompt,
      literalAdded: literalText,
      ...(tools !== undefined && { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
      ...(variables !== undefined && { variables }),
      ...(template !== undefined && { template }),
    });
  const reply =
    options.reply ?? defaultReply(tokenizer, () => render([{ role: "user", content: "Hi" }], true).text);
  const stopSequences =
    "tokens" in reply.stop
      ? reply.stop.tokens.map((token) => specialTokenId(tokenizer, token))
      : reply.stop.text;
  const stops = stopSequences.filter((stop) => typeof stop === "number");
  const encodeRuns = literalText ? literalEncoder(tokenizer) : undefined;
  const encodePrefill = (text: string) => encodeRuns?.([given(text)]) ?? tokenizer.encode(text);
  const ids = (messages: readonly Message[], isPrompt: boolean) => render(messages, isPrompt).ids;

  return {
    name,
    model,
    stopSequences,
    hasExtensionProperty: false,
    supportsStreaming: reply.streaming !== undefined,
    disablesThinking: false,
    buildGenerationPrompt(conversation, options = {}): ModelInput {
      checkKnownNames(options, GENERATION_PROMPT_OPTIONS, "the options of buildGenerationPrompt");
      const { role = "assistant", prefill = "" } = options;
      const messages = checkConversation(conversation);
      if (role !== "assistant") {
        throw new ValidationError(
          `role must be "assistant", the only one that a chat template invites, got ${describeValue(role)}`,
          {
            path: ["role"],
          },
        );
      }
      return {
        chunks: [ids(messages, true), encodePrefill(prefill)]
          .filter((tokens) => tokens.length > 0)
          .map((tokens) => ({ type: "encoded_text", tokens: [...tokens] })),
      };
    },
    buildSupervisedExample(messages, options = {}) {
      checkKnownNames(options, SUPERVISED_EXAMPLE_OPTIONS, "the options of buildSupervisedExample");
      const { trainOn = "last_assistant_message" } = options;
      return templateExample(checkConversation(messages), trainOn, ids, stops);
    },
    buildSupervisedExamples(messages, options = {}) {
      checkKnownNames(options, SUPERVISED_EXAMPLE_OPTIONS, "the options of buildSupervisedExamples");
      const { trainOn = "last_assistant_turn" } = options;
      return templateExamples(checkConversation(messages), trainOn, ids, stops);
    },
    parseResponse: (response) => parseReply(reply, response, tokenizer),
    parseResponseStreaming: (streamOptions) => streamReply(reply, tokenizer, name, streamOptions),
    declareTools() {
      throw new ValidationError(
        `${name} shows tools as the template does; give them to createChatTemplateRenderer as the option tools`,
        { path: ["tools"] },
      );
    },
    toOpenAiMessage,
    toJSON: () => ({ name, ...(model !== undefined && { model }), options: serialisable(options) }),
  };
}

function checkConversation(conversation: readonly Message[]): readonly Message[] {
  const messages = checkMessages(conversation);
  for (const [index, message] of messages.entries()) {
    refuseImages(message, index);
    for (const { function: called } of message.tool_calls ?? []) {
      if (readArguments(called.arguments) === undefined) {
        throw refusal(
          index,
          `calls ${called.name} with arguments that are not an object of JSON`,
          'write them as text such as {"city": "Oslo"}',
        );
      }
    }
  }
  return messages;
}

/** A message as templates read it: thinking beside the content, arguments as objects, which hold what Python's `json.loads` reads. */
function templateMessage(message: Message): TemplateMessage {
  const { tool_calls: calls, ...rest } = toOpenAiMessage(message);
  if (calls === undefined) return rest;
  const parsed = calls.map(({ function: called, ...call }) => ({
    ...call,
    function: { name: called.name, arguments: parsePythonJson(argumentsText({ ...call, function: called })) },
  }));
  return { ...rest, tool_calls: parsed };
}

function defaultReply(tokenizer: TextTokenizer, promptText: () => string): Reply {
  const end = tokenizer.namedTokens.eos;
  if (end === undefined) {
    throw new ValidationError(
      "createChatTemplateRenderer: the tokenizer does not name the token that ends a message; give the option reply",
      { path: ["tokenizer"] },
    );
  }
  return {
    stop: { tokens: [end] },
    opening: "<think>",
    read: (text) => readTaggedReply(text, { isPadded: true, readCall: readJsonCall }),
    streaming: { startsInThinking: stripEnd(promptText()).endsWith("<think>") },
  };
}

/** The options that survive JSON; a reply is code and has to be given again. */
function serialisable({ name: _, model: __, reply: ___, ...options }: ChatTemplateRendererOptions) {
  return options;
}
