import { describe, expect, it } from "vitest";
import type { ReadMessage } from "../replies/reply.js";
import { readFunctionTagReply } from "../tool-calls/function-tags.js";
import { readDsmlReply } from "./deepseek/dsml-calls.js";
import { readGlmReply } from "./glm5-3.js";
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
  ])("are kept as they are where they are none: %j", (body) => {
    const text = `<tool_call>${body}</tool_call>`;
    expect(callsOf(readFunctionTagReply(text))).toEqual({ calls: [], unparsed: [text] });
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

  it.each(["", "f<arg_key>x</arg_key>", "f<arg_key>x</arg_key><arg_value>1</arg_value>junk"])(
    "are kept as they are where they are none: %j",
    (body) => {
      const text = `<tool_call>${body}</tool_call>`;
      expect(callsOf(readGlmReply(text))).toEqual({ calls: [], unparsed: [text] });
    },
  );
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
    expect(callsOf(readDsmlReply(block("junk"))).unparsed).toEqual(["junk"]);
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
    expect(callsOf(readKimiReply(section(bad.join("")))).unparsed).toEqual(bad);
    const open = "<|tool_calls_section_begin|>x";
    expect(readKimiReply(`b${open}`)).toMatchObject({
      content: `b${open}`,
      unparsed_tool_calls: [{ raw_text: open }],
    });
  });
});
