import type { BuiltInRendererName } from "../registry/get-renderer.js";

/** A difference that is meant: the renderer writes as the cookbook does, and the model's chat template otherwise. */
export interface TemplateDifference {
  /** Sentence that says what differs, and the reason: a row of docs/renderers.md. */
  readonly why: string;
  /** The renderer's words and the template's, replaced in order. */
  readonly changes?: readonly (readonly [renderer: string, template: string])[];
  /** Words that the template writes behind the renderer's last ones. */
  readonly end?: string;
  /** Those of the renderers that it holds for. @defaultValue all of them */
  readonly renderers?: readonly BuiltInRendererName[];
  /** Chats of template-chats.json that it is found in. @defaultValue all that hold the renderer's words */
  readonly chats?: readonly string[];
}

/** Renderers and a template of their model. */
export interface ComparedTemplate {
  readonly template: string;
  /** Renderers, each with the way of asking that it stands for. */
  readonly renderers: Readonly<Partial<Record<BuiltInRendererName, string>>>;
  readonly differences: readonly TemplateDifference[];
  /** Chats that one of both cannot say, with the reason. */
  readonly unsaid: readonly { readonly why: string; readonly chats: readonly string[] }[];
}

const TOOLS = ["a tool", "a tool and a system's prompt"];
const CALLS = [
  "a call",
  "a call without words",
  "arguments of every kind",
  "true and null among arguments",
  "two calls, and an answer",
];

/** Of an answer that ends the chat. */
const LAST_THINKING: TemplateDifference = {
  why: "The thinking of the last answer is kept, to be trained on; the template drops it, as that of earlier turns.",
  changes: [["<think>Add.</think>", "<think></think>"]],
  chats: ["thinking"],
};
const LAST_LINE: TemplateDifference = {
  why: "The template puts a line break behind the last message as well; a document ends where the model stops.",
  end: "\n",
  chats: ["an answer", "thinking", "two calls, and an answer"],
};
const DATES = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n";

/** The renderers that have a template of their model at hand, and all differences between the two. */
export const comparedTemplates: readonly ComparedTemplate[] = [
  {
    template: "Qwen-Qwen3-0.6B",
    renderers: { qwen3: "default", qwen3_disable_thinking: "no thinking" },
    differences: [
      LAST_LINE,
      {
        why: "Arguments are ASCII (`\\u00ef`) where the template writes other letters as they are: the cookbook's `json.dumps`.",
        changes: [["na\\u00efve \\u5317\\u4eac", "naïve 北京"]],
      },
      {
        why: "Each result of several is a turn of its own; the template puts those that follow each other into one.",
        changes: [
          [
            "</tool_response><|im_end|>\n<|im_start|>user\n<tool_response>",
            "</tool_response>\n<tool_response>",
          ],
        ],
      },
    ],
    unsaid: [],
  },
  {
    template: "Qwen3.5-4B",
    renderers: { qwen3_5: "default", qwen3_5_disable_thinking: "no thinking" },
    differences: [
      LAST_LINE,
      {
        why: 'Tools are declared bare, `{"name": …}`; the template wraps them, `{"type": "function", "function": {"name": …}}`.',
        changes: [
          ['<tools>\n{"name"', '<tools>\n{"type": "function", "function": {"name"'],
          ["}\n</tools>", "}}\n</tools>"],
        ],
      },
    ],
    unsaid: [],
  },
  {
    template: "deepseek-ai-DeepSeek-V3.1",
    renderers: { deepseekv3: "default", deepseekv3_thinking: "thinking" },
    differences: [
      {
        why: "An answer without thinking begins with `</think>`; with `<think></think>` in llama.cpp's copy of the template.",
        changes: [["<｜Assistant｜></think>", "<｜Assistant｜><think></think>"]],
      },
      {
        why: "A call without words beside it goes on to its result; the template ends the sentence first, as behind other calls.",
        changes: [
          ["<｜tool▁calls▁end｜><｜tool▁output", "<｜tool▁calls▁end｜><｜end▁of▁sentence｜><｜tool▁output"],
        ],
        chats: ["a call without words"],
      },
      { ...LAST_THINKING, renderers: ["deepseekv3_thinking"] },
    ],
    unsaid: [
      {
        why: "The template shows no tools; the renderer writes them into the system's prompt, as the cookbook does.",
        chats: TOOLS,
      },
    ],
  },
  {
    template: "Kimi-K2-Thinking",
    renderers: { kimi_k2: "default" },
    differences: [
      LAST_THINKING,
      {
        why: "The declaration of tools is compact JSON with sorted keys, as the cookbook writes it; the template writes `tojson`.",
        changes: [
          [
            '[{"function":{"description":"Tells the weather","name":"get_weather","parameters":{"properties":{"city":{"description":"Name of a city","type":"string"},"days":{"type":"integer"}},"required":["city"],"type":"object"}},"type":"function"}]',
            '[{"type": "function", "function": {"name": "get_weather", "description": "Tells the weather", "parameters": {"type": "object", "properties": {"city": {"type": "string", "description": "Name of a city"}, "days": {"type": "integer"}}, "required": ["city"]}}}]',
          ],
        ],
      },
    ],
    unsaid: [
      {
        why: "The template changes a list where there are calls, which the sandbox of transformers refuses.",
        chats: CALLS,
      },
    ],
  },
  {
    template: "openai-gpt-oss-120b",
    renderers: { gpt_oss_medium_reasoning: "default", gpt_oss_high_reasoning: "high" },
    differences: [
      {
        why: "An empty system's prompt is shown as empty instructions; the template leaves it out.",
        changes: [["<|start|>developer<|message|># Instructions\n\n\n\n<|end|>", ""]],
      },
      {
        why: "Thinking of earlier turns stays; the template drops it.",
        changes: [["<|start|>assistant<|channel|>analysis<|message|>Add.<|end|>", ""]],
        chats: ["thinking of an earlier turn"],
      },
      {
        why: "The line that names the channel of tools is a message of the system of its own; it ends the first one in the template.",
        changes: [["<|end|><|start|>system<|message|>Calls to these tools", "\nCalls to these tools"]],
      },
      {
        why: "A type of arguments begins on a line of its own, as the cookbook writes it; on the same line in the template.",
        changes: [["(_:\n{", "(_: {"]],
      },
      {
        why: "Words beside a call go to the channel `commentary`, as OpenAI's harmony format has it; to `analysis` in the template.",
        changes: [
          ["commentary<|message|>I look.", "analysis<|message|>I look."],
          ["commentary<|message|>So.", "analysis<|message|>So."],
        ],
      },
      {
        why: "A call is marked `<|constrain|>json`, as the model writes it; `json` alone in the template.",
        changes: [["commentary <|constrain|>json", "commentary json"]],
      },
      {
        why: "Results are shown as they are; the template makes a string of JSON of them.",
        changes: [
          ["<|message|>warm<|end|>", '<|message|>"warm"<|end|>'],
          ["<|message|>done<|end|>", '<|message|>"done"<|end|>'],
          ['<|message|>{"warm": true}<|end|>', '<|message|>"{\\"warm\\": true}"<|end|>'],
        ],
      },
    ],
    unsaid: [
      {
        why: "The template shows the first call of a message alone, and drops words beside calls that an answer follows.",
        chats: ["two calls, and an answer"],
      },
    ],
  },
  {
    template: "meta-llama-Llama-3.3-70B-Instruct",
    renderers: { llama3: "default" },
    differences: [
      {
        why: "The dates that the template puts in front of every system's prompt, and into one of its own where there is none, are left out.",
        changes: [
          ["system<|end_header_id|>\n\n", `system<|end_header_id|>\n\n${DATES}`],
          [
            "<|begin_of_text|><|start_header_id|>user",
            `<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n${DATES}<|eot_id|><|start_header_id|>user`,
          ],
        ],
      },
    ],
    unsaid: [
      {
        why: "The renderer refuses tools, calls and thinking, which the cookbook drops or garbles.",
        chats: ["thinking", "thinking of an earlier turn", ...TOOLS, ...CALLS],
      },
    ],
  },
];

/** The table of docs/renderers.md: a row for each difference, and for each kind of chat that one of both cannot say. */
export function differenceTable(): string {
  const rows = comparedTemplates.flatMap(({ renderers, differences, unsaid }) => {
    const names = Object.keys(renderers)
      .map((name) => `\`${name}\``)
      .join(", ");
    return [...differences, ...unsaid].map(({ why }) => `| ${names} | ${why.replaceAll("|", "\\|")} |`);
  });
  return ["| renderers | difference |", "| --- | --- |", ...rows].join("\n");
}
