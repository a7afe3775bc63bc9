import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { recordedRenderers } from "../testing/recorded-renderers.js";
import type { Message } from "./message.js";

const hi: Message = { role: "user", content: "Hi" };
const call = { type: "function", id: null, function: { name: "add", arguments: "{}" } } as const;

describe.each(recordedRenderers.filter(({ shows }) => shows.calls === undefined))("$name", ({ renderer }) => {
  const refused: readonly (readonly [string, Message])[] = [
    [
      "several parts",
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ],
    ["thinking", { role: "assistant", content: [{ type: "thinking", thinking: "a" }] }],
    ["calls", { role: "assistant", content: "a", tool_calls: [call] }],
  ];

  it.each(refused)("cookbook 7: refuses %s and names the message", (_, message) => {
    for (const build of [
      () => renderer.buildGenerationPrompt([hi, message]),
      () => renderer.buildSupervisedExample([hi, message]),
    ]) {
      expect(build).toThrow(ValidationError);
      expect(build).toThrow(/messages\[1\]/);
    }
  });

  it("cookbook 7: takes a single part of text", () => {
    const part = { role: "user", content: [{ type: "text", text: "Hi" }] } as const;
    expect(renderer.buildGenerationPrompt([part])).toEqual(renderer.buildGenerationPrompt([hi]));
  });

  it("cookbook 7: has no place for tools", () => {
    const tool = { name: "add", description: "Add numbers", parameters: { type: "object" } };
    expect(() => renderer.declareTools([tool])).toThrow(ValidationError);
  });
});

describe.each(recordedRenderers)("$name", ({ renderer }) => {
  it("refuses what is no conversation, and says where", () => {
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      ["Hi", /messages must be an array/],
      [[hi, "Hi"], /messages\[1\] is no message/],
      [[{ content: "Hi" }], /messages\[0\] is no message/],
      [[{ role: "assistant", content: null }], /messages\[0\] has no content/],
      [[{ role: "user", content: [{ type: "txt", text: "Hi" }] }], /messages\[0\] has a part.*"txt"/],
      [[{ role: "user", content: [{ type: "text" }] }], /messages\[0\] has a part/],
      [[{ role: "user", content: [{ type: "text", text: 42 }] }], /messages\[0\] has a part.*"text"/],
      [[{ role: "assistant", content: [{ type: "thinking", thinking: null }] }], /messages\[0\] has a part/],
      [[{ role: "user", content: [{ type: "image", image: undefined }] }], /messages\[0\] has a part/],
      [[{ role: "assistant", content: "", tool_calls: {} }], /messages\[0\] has tool_calls that are no list/],
      [
        [{ role: "assistant", content: "", unparsed_tool_calls: [{ raw_text: "a", error: "b" }] }],
        /messages\[0\] has unparsed_tool_calls/,
      ],
    ];
    for (const [messages, message] of wrong) {
      expect(() => renderer.buildGenerationPrompt(messages as readonly Message[])).toThrow(message);
    }
  });

  const FOREIGN = ["weight", "train", "training", "loss", "loss_weight", "reasoning_content", "reasoning"];
  const OTHERS = [
    "reasoning_details",
    "thinking",
    "thinking_blocks",
    "function_call",
    "refusal",
    "audio",
    "prefix",
  ];
  // axolotl-ai-cloud/axolotl#1703, fw-ai/cookbook#378: fields of fine-tuning files and of servers that tell reasoning apart, dropped in silence.
  it.each([...FOREIGN, ...OTHERS])(
    "refuses the field %s by its name, as it would go unheard, and takes it where it says nothing",
    (field) => {
      const answer = { role: "assistant", content: "4" };
      const build = (value: unknown) => renderer.buildSupervisedExample([hi, { ...answer, [field]: value }]);
      expect(() => build(0)).toThrow(ValidationError);
      expect(() => build("because")).toThrow(
        new RegExp(`messages\\[1\\] has the field ${field}, which renderers do not read; `),
      );
      const nothing = [null, "", [], ...(field === "prefix" ? [false] : [])];
      for (const value of nothing)
        expect(build(value)).toEqual(renderer.buildSupervisedExample([hi, answer]));
      if (field !== "prefix") expect(() => build(false)).toThrow(ValidationError);
    },
  );

  // cubist38/mlx-openai-server#205, Blaizzy/mlx-vlm#1785: such a message is dropped, or ends in a TypeError.
  it("takes null or nothing for the content of a message that calls tools, as OpenAI's API writes it", () => {
    const calling = (content: unknown) =>
      [hi, { role: "assistant", content, tool_calls: [call] }] as Message[];
    const outcome = (content: unknown) => {
      try {
        return renderer.buildSupervisedExample(calling(content)).modelInput;
      } catch (error) {
        return String(error);
      }
    };
    expect(outcome(null)).toEqual(outcome(""));
    expect(outcome(undefined)).toEqual(outcome(""));
    for (const content of [null, undefined]) {
      const message = { role: "assistant", content, tool_calls: [] } as never;
      expect(() => renderer.buildGenerationPrompt([message])).toThrow(/messages\[0\] has no content/);
    }
  });

  it("refuses calls whose arguments are not JSON", () => {
    const bad = { ...call, function: { name: "add", arguments: "{a: 1}" } };
    const chat = [hi, { role: "assistant", content: "", tool_calls: [bad] }];
    expect(() => renderer.buildSupervisedExample(chat)).toThrow(/messages\[1\] calls/);
  });
});
