import { describe, expect, it } from "vitest";
import { type BuiltInRendererName, getRenderer } from "../registry/get-renderer.js";
import type { ReadMessage } from "../replies/reply.js";
import { phraseTokenizer } from "../testing/phrase-tokenizer.js";
import { readFunctionTagReply } from "../tool-calls/function-tags.js";
import { readDsmlReply } from "./deepseek/dsml-calls.js";
import { readDeepseekV3Reply } from "./deepseek/read-deepseekv3-reply.js";
import { readGlmReply } from "./glm5-3.js";
import { readGptOssReply } from "./gpt-oss/read-gpt-oss-reply.js";
import { readKimiReply } from "./kimi/read-kimi-reply.js";

/** Name and arguments of the calls, and the text of those that are none. */
function callsOf({ tool_calls: calls = [], unparsed_tool_calls: unparsed = [] }: ReadMessage) {
  return {
    calls: calls.map(({ function: { name, arguments: args } }) => [name, args]),
    unparsed: unparsed.map(({ raw_text: text }) => text),
  };
}

describe("calls with a tag for each argument", () => {
  it.each([
    [
      "<function=f>\n<parameter=x>\n a \nb\n</parameter>\n<parameter=y>\n[1.0]\n</parameter><parameter=z>True</parameter></function>",
      ["f", '{"x": "a \\nb", "y": [1.0], "z": "True"}'],
    ],
    ['{"name": "f", "arguments": {"a": 1}}', ["f", '{"a": 1}']],
    ["<function= f >\n<parameter= x >\n1\n</parameter>\n</function>", ["f", '{"x": 1}']],
    // As in thinking-machines-lab/tinker-cookbook 0.6.1: null is JSON, too, and the text of arguments is ASCII.
    // mdegans/drama_llama#115, QwenLM/Qwen3.8#187: null came out as a string.
    ["<function=f>\n<parameter=x>\nnull\n</parameter>\n</function>", ["f", '{"x": null}']],
    ["<function=f>\n<parameter=x>\nNone\n</parameter>\n</function>", ["f", '{"x": "None"}']],
    ["<function=f>\n<parameter=x>\né\n</parameter>\n</function>", ["f", '{"x": "\\u00e9"}']],
  ])("are read from %j", (body, call) => {
    const read = readFunctionTagReply(`<tool_call>\n${body}\n</tool_call>`);
    expect(callsOf(read)).toEqual({ calls: [call], unparsed: [] });
  });

  it.each([
    "junk",
    "<function=f>\n<parameter=x>\n1\n</function>",
    "<function=f></function>\n<function=g></function>",
    "x<function=f></function>",
    '{"name": "f"}',
    // vllm-project/vllm#54964, langchain-ai/langchain#35990: arguments that are no object are no arguments.
    '{"name": "f", "arguments": "{\\"x\\": 1}"}',
    '{"name": "f", "arguments": null}',
    '{"name": "f", "arguments": []}',
    "<function= ></function>",
    "<function=f><parameter= >1</parameter></function>",
    "<function=f\ng></function>",
  ])("are kept as they are where they are none: %j", (body) => {
    const text = `<tool_call>${body}</tool_call>`;
    expect(callsOf(readFunctionTagReply(text))).toEqual({ calls: [], unparsed: [text] });
  });
});

/** The calls that a renderer reads in a reply which its own end closes. */
function parsedBy(name: BuiltInRendererName, reply: string) {
  const tokenizer = phraseTokenizer();
  const ids = [...tokenizer.encode(reply), ...tokenizer.encode("<|im_end|>")];
  return callsOf(getRenderer(name, tokenizer).parseResponse(ids).message);
}

// mdegans/drama_llama#115, QwenLM/Qwen3.8#187.
it.each<BuiltInRendererName>([
  "qwen3_5",
  "qwen3_5_disable_thinking",
  "qwen3_8_xhigh_reasoning",
  "qwen3_8_disable_thinking",
  "nemotron3",
])("%s reads null as null in a reply", (name) => {
  const call = "<tool_call>\n<function=f>\n<parameter=x>\nnull\n</parameter>\n</function>\n</tool_call>";
  expect(parsedBy(name, call)).toEqual({ calls: [["f", '{"x": null}']], unparsed: [] });
});

// vllm-project/vllm#54964, langchain-ai/langchain#35990: arguments that are no object are no arguments.
describe.each<BuiltInRendererName>([
  "qwen3",
  "qwen3_disable_thinking",
  "qwen3_instruct",
  "qwen3_vl",
  "qwen3_vl_instruct",
])("calls in JSON that %s reads in a reply", (name) => {
  const callOf = (args: string) => `<tool_call>\n{"name": "f", "arguments": ${args}}\n</tool_call>`;

  it.each(['"{\\"x\\": 1}"', '""', "null", "[]", '[{"x": 1}]', "1", "true"])(
    "are none with arguments of %s",
    (args) => {
      expect(parsedBy(name, callOf(args))).toEqual({ calls: [], unparsed: [callOf(args)] });
    },
  );

  it("are calls with arguments of an object, null within it too", () => {
    expect(parsedBy(name, callOf('{"x": null}'))).toEqual({ calls: [["f", '{"x": null}']], unparsed: [] });
  });
});

describe("a call that is never closed", () => {
  it("is told beside the text, also where it stands in another", () => {
    expect(callsOf(readFunctionTagReply("a<tool_call>b"))).toEqual({ calls: [], unparsed: ["<tool_call>b"] });
    const nested = "<tool_call>a<tool_call>\njunk</tool_call>";
    expect(callsOf(readFunctionTagReply(nested)).unparsed).toEqual([nested, "<tool_call>\njunk</tool_call>"]);
    expect(callsOf(readGlmReply("a<tool_call>b"))).toEqual({ calls: [], unparsed: [] });
  });

  it("is none within thinking", () => {
    expect(callsOf(readFunctionTagReply("<think><tool_call></think>x"))).toEqual({ calls: [], unparsed: [] });
  });
});

describe("calls of GPT-OSS", () => {
  it("are read between the marks of their messages, and empty messages are none", () => {
    const text =
      "<|channel|>analysis<|message|> <|end|><|start|>assistant<|channel|>final<|message|>x<|end|>y<|start|>assistant to=functions.f<|channel|>commentary<|message|> {} ";
    const read = readGptOssReply(text);
    expect(read.content).toEqual([{ type: "text", text: "x" }]);
    expect(callsOf(read)).toEqual({ calls: [["f", "{}"]], unparsed: [] });
  });

  it("are told where they have no arguments", () => {
    expect(callsOf(readGptOssReply(" to=functions.f<|channel|>commentary"))).toEqual({
      calls: [],
      unparsed: [" to=functions.f<|channel|>commentary"],
    });
    const bad = " to=functions.f<|message|>{";
    expect(callsOf(readGptOssReply(bad))).toEqual({ calls: [], unparsed: [bad] });
  });
});

describe("calls of DeepSeek V3", () => {
  const call = (name: string, args: string) =>
    `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${args}<｜tool▁call▁end｜>`;
  const section = (text: string) => `<｜tool▁calls▁begin｜>${text}<｜tool▁calls▁end｜>`;

  it("leave the text where there is one, whatever it is", () => {
    expect(readDeepseekV3Reply(`a ${section(call("f", " {} "))} b`)).toMatchObject({
      content: "a b",
      tool_calls: [{ function: { name: "f", arguments: "{}" } }],
    });
    expect(readDeepseekV3Reply(section("x")).content).toBe(section("x"));
    expect(callsOf(readDeepseekV3Reply(section(call("", "{}")))).unparsed).toEqual([call("", "{}")]);
    expect(callsOf(readDeepseekV3Reply(section(call("get-weather", "{}")))).calls).toEqual([
      ["get-weather", "{}"],
    ]);
  });

  it("are told where they are never closed", () => {
    const open = "<｜tool▁call▁begin｜>f";
    expect(callsOf(readDeepseekV3Reply(section(call("f", "{}") + open)))).toEqual({
      calls: [["f", "{}"]],
      unparsed: [`${open}<｜tool▁calls▁end｜>`],
    });
  });
});

describe("calls of GLM-5.3", () => {
  it("are read with values that are JSON as JSON", () => {
    const call =
      '<tool_call> f \n<arg_key>x</arg_key>\n<arg_value>{"k":1.0}</arg_value><arg_key>y</arg_key><arg_value> s</arg_value></tool_call>';
    expect(callsOf(readGlmReply(`${call}t<tool_call>g</tool_call>`))).toEqual({
      calls: [
        ["f", '{"x": {"k": 1.0}, "y": " s"}'],
        ["g", "{}"],
      ],
      unparsed: [],
    });
  });

  it("are read with null as null, and as JSON where a model writes them so", () => {
    const call = "<tool_call>f<arg_key>x</arg_key><arg_value>null</arg_value></tool_call>";
    expect(callsOf(readGlmReply(call)).calls).toEqual([["f", '{"x": null}']]);
    const json = '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>';
    expect(callsOf(readGlmReply(json)).calls).toEqual([["f", '{"x": 1}']]);
  });

  it.each([
    "a b",
    "f:0",
    "f<arg_key> </arg_key><arg_value>1</arg_value>",
    "",
    "f<arg_key>x</arg_key>",
    "f<arg_key>x</arg_key><arg_value>1</arg_value>junk",
  ])("are kept as they are where they are none: %j", (body) => {
    const text = `<tool_call>${body}</tool_call>`;
    expect(callsOf(readGlmReply(text))).toEqual({ calls: [], unparsed: [text] });
  });
});

describe("calls of DeepSeek V4.1", () => {
  const invoke = (name: string, body: string) =>
    `<｜DSML｜ invoke name="${name}">\n${body}\n</｜DSML｜ invoke>`;
  const parameter = (text: string, isText: boolean) =>
    `<｜DSML｜ parameter name="x" string="${isText}">${text}</｜DSML｜ parameter>`;
  const block = (text: string) => `b\n\n<｜DSML｜ calls>\n${text}\n</｜DSML｜ calls>`;

  it("are read, text as it stands", () => {
    const read = readDsmlReply(
      block(`${invoke("f", parameter(" a\nb ", true))}\n${invoke("g", parameter("[1.0]", false))}`),
    );
    expect(read.content).toBe("b");
    expect(callsOf(read).calls).toEqual([
      ["f", '{"x": " a\\nb "}'],
      ["g", '{"x": [1.0]}'],
    ]);
  });

  it("are kept as they are where they are none, with what stands behind them", () => {
    const bad = invoke("f", parameter("bad", false));
    expect(callsOf(readDsmlReply(`${block(`${bad}\n${invoke("h", "")}`)}tail`))).toEqual({
      calls: [["h", "{}"]],
      unparsed: [bad, "tail"],
    });
    expect(callsOf(readDsmlReply(block(""))).unparsed).toHaveLength(1);
    expect(callsOf(readDsmlReply(block("junk"))).unparsed).toEqual([block("junk").slice(1)]);
    // A block with other text in it is none at all, and a parameter that comes twice is no call.
    expect(callsOf(readDsmlReply(block(`${invoke("f", "")}junk`))).calls).toEqual([]);
    const twice = invoke("f", parameter("1", true) + parameter("2", true));
    expect(callsOf(readDsmlReply(block(twice)))).toEqual({ calls: [], unparsed: [twice] });
    expect(callsOf(readDsmlReply(block(invoke(" ", "")))).unparsed).toEqual([invoke(" ", "")]);
    expect(readDsmlReply("b<｜DSML｜ calls>x")).toMatchObject({ content: "b<｜DSML｜ calls>x" });
  });
});

describe("calls of Kimi", () => {
  const call = (id: string, args: string) =>
    `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;
  const section = (text: string) => `b<|tool_calls_section_begin|>${text}<|tool_calls_section_end|>`;

  it("are read with the name out of the id and the arguments as they stand", () => {
    const read = readKimiReply(section(call("functions.g.h:12", ' {"b":1.0} ') + call("f:0", "{}")));
    expect(read.content).toBe("b");
    expect(callsOf(read).calls).toEqual([
      ["g.h", '{"b":1.0}'],
      ["f", "{}"],
    ]);
    expect(read.tool_calls?.map(({ id }) => id)).toEqual(["functions.g.h:12", "f:0"]);
  });

  it("are kept as they are where they are none", () => {
    const bad = [call("f", "{}"), call("functions.f:1", "{bad"), "<|tool_call_begin|>functions.f:2"];
    const [one = "", two = "", three = ""] = bad;
    expect(callsOf(readKimiReply(section(bad.join("")))).unparsed).toEqual([
      one,
      two,
      `${three}<|tool_calls_section_end|>`,
    ]);
    const open = "<|tool_calls_section_begin|>x";
    expect(readKimiReply(`b${open}`)).toMatchObject({
      content: `b${open}`,
      unparsed_tool_calls: [{ raw_text: open }],
    });
  });
});
