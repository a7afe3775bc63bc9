import { expect, it } from "vitest";
import { declareDeepseekV3Tools } from "../families/deepseek/deepseekv3-tools.js";
import { declareGptOssTools } from "../families/gpt-oss/gpt-oss-tools.js";
import { kimiToolTypes } from "../families/kimi/kimi-tool-types.js";
import { nemotron3Layout } from "../families/nemotron3.js";
import type { ToolDeclaration } from "./message.js";

const WRITERS: readonly (readonly [name: string, write: (tools: readonly ToolDeclaration[]) => unknown])[] = [
  ["deepseekv3", (tools) => declareDeepseekV3Tools(tools, "")],
  ["gpt_oss", (tools) => declareGptOssTools(tools, "")],
  ["kimi_k25", kimiToolTypes],
  ["nemotron3", (tools) => nemotron3Layout({}).declareTools?.(tools, "")],
];

it.each(WRITERS)(
  "%s takes a tool without description or parameters, which OpenAI's API asks for neither",
  (_, write) => {
    const whole = write([{ name: "now", description: "", parameters: { type: "object", properties: {} } }]);
    for (const tool of [{ name: "now" }, { name: "now", description: null, parameters: null }])
      expect(write([tool as never])).toEqual(whole);
  },
);
