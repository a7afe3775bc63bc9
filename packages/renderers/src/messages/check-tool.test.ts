import { loadTokenizer } from "@tinkex/tokenizer/node";
import { describe, expect, it } from "vitest";
import { createChatTemplateRenderer } from "../chat-template/chat-template-renderer.js";
import { getRenderer } from "../registry/get-renderer.js";
import { checkTool } from "./check-tool.js";

const declared = { name: "add", description: "Adds", parameters: { type: "object" } };
const wrapped = { type: "function", function: declared } as never;

describe("a tool in the wrapping of OpenAI's API", () => {
  it("is refused with the way out, and not shown as a tool without a name", () => {
    expect(() => checkTool(wrapped, "tools[0]")).toThrow(
      /^tools\[0\].name must be a string, got undefined; give .* tools.map\(\(tool\) => tool.function\)$/,
    );
    expect(() => checkTool({} as never, "tools[0]")).toThrow(/got undefined$/);
  });

  it("is refused by renderers by name and by those of a chat template", async () => {
    const tiny = new URL("../../../tokenizer/fixtures/tiny", import.meta.url).pathname;
    const tokenizer = await loadTokenizer(tiny);
    const renderer = getRenderer("qwen3_instruct", tokenizer);
    expect(renderer.declareTools([declared])).toHaveLength(1);
    expect(() => renderer.declareTools([declared, wrapped])).toThrow(/^declareTools: tools\[1\].name/);
    expect(() => createChatTemplateRenderer(tokenizer, { tools: [wrapped] })).toThrow(
      /^createChatTemplateRenderer: tools\[0\].name/,
    );
  });
});
