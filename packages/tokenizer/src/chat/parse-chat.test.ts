import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { createTokenizer } from "../tokenizer/create-tokenizer.js";
import { applyChatTemplate } from "./apply-chat-template.js";
import { parseChat } from "./parse-chat.js";

const tokenizer = createTokenizer({ tokenizer: { model: { type: "BPE", vocab: { a: 0 }, merges: [] } } });
const render = (template: string, text: string) => {
  const { messages, tools } = parseChat(text);
  return applyChatTemplate(tokenizer, messages, { template, ...(tools !== undefined && { tools }) }).text;
};
const LINE =
  '{"id": 12345678901234567890, "messages": [{"role": "assistant", "content": null, "tool_calls": [{"function":' +
  ' {"name": "f", "arguments": {"b": 1.0, "10": 2, "2": 9007199254740993}}}]}], "tools": [{"type": "function",' +
  ' "function": {"parameters": {"properties": {"z": {}, "3": {"default": 1e3}}}}}]}';

describe("parseChat", () => {
  // huggingface/jinja and llama.cpp's templates print arguments with `tojson`; V8 puts "2" and "10" before "b".
  it("reads a line of a data set so that a template prints its values as Python does", () => {
    expect(render("{{ messages[0].tool_calls[0].function.arguments | tojson }}", LINE)).toBe(
      '{"b": 1.0, "10": 2, "2": 9007199254740993}',
    );
    expect(render("{{ tools }}", LINE)).toBe(
      "[{'type': 'function', 'function': {'parameters': {'properties': {'z': {}, '3': {'default': 1000.0}}}}}]",
    );
  });

  it("keeps messages objects with their fields in order, and gives the fields beside them", () => {
    const { messages, tools, others } = parseChat(LINE);
    expect(messages[0]).toMatchObject({ role: "assistant", content: null });
    expect(tools).toHaveLength(1);
    expect(others).toEqual({ id: 12345678901234567890n });
    const [message] = parseChat('[{"content": "a", "name": "b", "role": "user"}]').messages;
    expect(Object.keys(Object(message))).toEqual(["content", "name", "role"]);
  });

  it("reads an array of messages, and an object with fields that numbers name", () => {
    expect(parseChat('[{"role": "user", "content": "Hi"}]')).toEqual({
      messages: [{ role: "user", content: "Hi" }],
      tools: undefined,
      others: {},
    });
    expect(parseChat('{"messages": [], "tools": null, "0": 1}')).toEqual({
      messages: [],
      tools: undefined,
      others: { 0: 1 },
    });
  });

  it.each([
    ['{"role": "user"', "parseChat: text must be JSON; at character 15: "],
    ["3", "parseChat: text must be an object, got 3"],
    ['{"conversations": []}', "parseChat: messages must be an array, got undefined"],
    ['["Hi"]', "parseChat: messages[0] must be an object"],
    ['[{"role": "user"}, {"content": "Hi"}]', "parseChat: messages[1].role must be a string, got undefined"],
    ['{"messages": [], "tools": {}}', "parseChat: tools must be an array, got an object"],
    ['{"messages": [], "tools": [1]}', "parseChat: tools[0] must be an object, got 1"],
  ])("refuses %s", (text, message) => {
    expect(() => parseChat(text)).toThrow(ValidationError);
    expect(() => parseChat(text)).toThrow(message);
  });

  it("leaves a message whose own fields are named by numbers to the template, which refuses to print it whole", () => {
    const chat = '[{"role": "user", "content": "a", "1": 2}]';
    expect(render("{{ messages[0].content }}", chat)).toBe("a");
    expect(() => render("{{ messages[0] }}", chat)).toThrow("messages[0]: an object whose field '1'");
  });
});
