import { findSteepGrowth } from "@tinkex-tooling/regular-expressions";
import { describe, expect, it } from "vitest";
import { builtInRenderers } from "../registry/built-in-renderers.js";
import { type BuiltInRendererName, getRenderer } from "../registry/get-renderer.js";
import { phraseTokenizer } from "../testing/phrase-tokenizer.js";

const DSML = "｜DSML｜";
/** Runs that a model which has lost its way writes. */
const RUNS = [
  "\n",
  " ",
  "\u3000",
  "<",
  "\\",
  '"',
  '\\"',
  "[",
  '{"a":',
  "1",
  "\ud83d",
  "<think>",
  "</think>",
  "<think></think>",
];
type Frame = readonly [before: string, behind: string];
/** Texts around a run, so that it stands where the readers look. */
const FRAMES: readonly Frame[] = [
  ["", ""],
  ["ok", "x"],
  ["<think>a", "x</think>hi"],
  ["<think>a</think>", "x"],
];

/** A way of reading replies: what it looks for, and the places where it does. */
interface Reading {
  readonly names: readonly BuiltInRendererName[];
  readonly runs: readonly string[];
  readonly frames: readonly Frame[];
}

const READINGS: readonly Reading[] = [
  { names: ["role_colon"], runs: ["\n\nUser", "\n\nUser:"], frames: [] },
  { names: ["llama3"], runs: [], frames: [] },
  {
    names: ["qwen3", "qwen3_instruct"],
    runs: ["<tool_call>", "</tool_call>", "<tool_call></tool_call>"],
    frames: [
      ['<tool_call>{"name": "f", "arguments": ', "}</tool_call>"],
      ['<tool_call>{"name": "f", "arguments": {"a": "', '"}}</tool_call>'],
    ],
  },
  {
    names: ["qwen3_5", "nemotron3"],
    runs: [
      "<tool_call>",
      "<tool_call></tool_call>",
      "<parameter=a>",
      "<parameter=a>1</parameter>",
      "</parameter>",
    ],
    frames: [
      ["<tool_call>\n<function=f>\n", "</function>\n</tool_call>"],
      ["<tool_call>\n<function=f>\n<parameter=a>", "x</parameter></function></tool_call>"],
      ["<tool_call>\n<function=", "</function></tool_call>"],
    ],
  },
  {
    names: ["glm5_3_max_reasoning"],
    runs: [
      "<tool_call>",
      "<arg_key>",
      "</arg_key>",
      "</arg_key><arg_value>",
      "<arg_key>a</arg_key><arg_value>1</arg_value>",
    ],
    frames: [
      ["<tool_call>f", "</tool_call>"],
      ["<tool_call>f<arg_key>", "</arg_key><arg_value>1</arg_value></tool_call>"],
      ["<tool_call>f<arg_key>a</arg_key>", "<arg_value>1</arg_value></tool_call>"],
    ],
  },
  {
    names: ["deepseekv3", "deepseekv3_thinking"],
    runs: [
      "<｜tool▁calls▁begin｜>",
      "<｜tool▁call▁begin｜>",
      "<｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜>",
      "<｜tool▁sep｜>",
    ],
    frames: [
      [
        "ok",
        "x<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
      ],
      ["<｜tool▁calls▁begin｜>", "x<｜tool▁calls▁end｜>"],
      [
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>",
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
      ],
    ],
  },
  {
    names: ["deepseekv4_1"],
    runs: [
      `<${DSML} calls>`,
      `<${DSML} invoke name="`,
      `<${DSML} invoke name="f">`,
      `<${DSML} invoke name="f"></${DSML} invoke>`,
      `<${DSML} parameter name="`,
      `<${DSML} parameter name="a" string="true">`,
      `<${DSML} parameter name="a" string="true">1</${DSML} parameter>`,
      '">',
      '" string="',
    ],
    frames: [
      ["ok", `x\n\n<${DSML} calls>\n<${DSML} invoke name="f">\n</${DSML} invoke>\n</${DSML} calls>`],
      [`<${DSML} calls>`, `x</${DSML} calls>`],
      [`<${DSML} calls><${DSML} invoke name="`, `x</${DSML} calls>`],
      [`<${DSML} calls><${DSML} invoke name="f">`, `x</${DSML} invoke></${DSML} calls>`],
    ],
  },
  {
    names: ["kimi_k2", "kimi_k25"],
    runs: [
      "<|tool_calls_section_begin|>",
      "<|tool_call_begin|>",
      "<|tool_call_begin|>f:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
      "functions.",
      ":1",
    ],
    frames: [
      ["<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"],
      [
        "<|tool_calls_section_begin|><|tool_call_begin|>",
        "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
      ],
    ],
  },
  {
    names: ["gpt_oss_medium_reasoning"],
    runs: ["<|start|>", "<|start|>assistant<|channel|>analysis<|message|>", "to=functions.", "<|end|>"],
    frames: [
      ["<|start|>assistant", "<|message|>x"],
      ["<|channel|>commentary to=functions.", "<|message|>{}"],
    ],
  },
  {
    names: ["tml_v0"],
    runs: [
      "<|message_model|>",
      "<|content_text|>",
      "<|end_message|>",
      "<|message_model|><|content_text|>a<|end_message|>",
      '<|content_invoke_tool_json|>{"name":"f","args":{}}<|end_message|>',
    ],
    frames: [
      ["<|message_model|><|content_text|>", "<|end_message|>"],
      ['<|message_model|><|content_invoke_tool_json|>{"name":"f","args":', "}<|end_message|>"],
    ],
  },
];
const EACH = READINGS.flatMap(({ names, runs, frames }) => names.map((name) => ({ name, runs, frames })));

describe("a reply twice as long takes at most twice as long to read", () => {
  it("is tried with every way of reading that there is", () => {
    const families = (names: readonly string[]) => new Set(names.map((name) => name.replace(/[^a-z].*/, "")));
    expect(families(EACH.map(({ name }) => name))).toEqual(families(Object.keys(builtInRenderers)));
  });

  it.each(EACH)("$name: whatever the model repeats, and wherever", ({ name, runs, frames }) => {
    const tokenizer = phraseTokenizer();
    const renderer = getRenderer(name, tokenizer);
    const [end = ""] = renderer.stopSequences;
    const stop = typeof end === "number" ? [end] : tokenizer.encode(end);
    // A layout of tokens is read token by token, so that the text has to have them.
    const idsOf = (text: string) =>
      name === "tml_v0"
        ? text.split(/(<\|[a-z_]{1,40}\|>)/).flatMap((part) => [...tokenizer.encode(part)])
        : tokenizer.encode(text);
    const steep = [...FRAMES, ...frames].flatMap(([before, behind]) =>
      [...RUNS, ...runs].flatMap((run) => {
        const growth = findSteepGrowth(
          (text) => void renderer.parseResponse([...idsOf(text), ...stop]),
          (length) => before + run.repeat(Math.ceil(length / run.length)) + behind,
        );
        return growth === undefined ? [] : [{ before, run, behind, growth }];
      }),
    );
    expect(steep).toEqual([]);
  });

  // They begin in text, in thinking, and in thinking that the prompt has opened with a line break.
  it.each(["qwen3", "kimi_k25", "qwen3_5"] as const)("%s: also where it comes in token by token", (name) => {
    const tokenizer = phraseTokenizer();
    const renderer = getRenderer(name, tokenizer);
    const steep = ["\n", "<", "<think></think>"].flatMap((run) => {
      const growth = findSteepGrowth(
        (text) => {
          const stream = renderer.parseResponseStreaming();
          for (const character of text) stream.push(tokenizer.encode(character));
          stream.end();
        },
        (length) => run.repeat(Math.ceil(length / run.length)),
      );
      return growth === undefined ? [] : [{ run, growth }];
    });
    expect(steep).toEqual([]);
  });
});
