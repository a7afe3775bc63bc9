import { describe, expect, it } from "vitest";
import { getRenderer } from "../../registry/get-renderer.js";
import { idsOf } from "../../testing/ids-of.js";
import { recordedTokenizer } from "../../testing/recorded-tokenizers.js";
import { readRecording } from "../../testing/recording.js";
import { walkRecording } from "../../testing/walk-recording.js";

walkRecording("gpt_oss_no_sysprompt", (tokenizer) => getRenderer("gpt_oss_no_sysprompt", tokenizer));
walkRecording("gpt_oss_medium_reasoning", (tokenizer) =>
  getRenderer("gpt_oss_medium_reasoning", tokenizer, { currentDate: "2026-01-31" }),
);

describe("GPT-OSS", () => {
  const { tokenizer: recorded } = readRecording("gpt_oss_no_sysprompt");
  const tokenizer = recordedTokenizer(recorded);
  const hi = [{ role: "user", content: "Hi" }] as const;
  const promptText = (renderer: ReturnType<typeof getRenderer>) =>
    tokenizer.decode(idsOf(renderer.buildGenerationPrompt(hi)));

  it("cookbook 8: without a date it tells today's in UTC", () => {
    const clock = { now: () => Date.UTC(2027, 1, 3, 23, 59, 59) };
    const renderer = getRenderer("gpt_oss_low_reasoning", tokenizer, { clock });
    expect(promptText(renderer)).toContain("Current date: 2027-02-03\n");
  });

  it("cookbook 8: tells the effort of its name", () => {
    for (const effort of ["low", "medium", "high"] as const) {
      const renderer = getRenderer(`gpt_oss_${effort}_reasoning`, tokenizer, { currentDate: "2026-01-31" });
      expect(promptText(renderer)).toContain(`\nReasoning: ${effort}\n`);
    }
  });

  it("finds the name of a tool by the id of its call, and refuses an answer to none", () => {
    const renderer = getRenderer("gpt_oss_no_sysprompt", tokenizer);
    const call = { type: "function", id: "call-1", function: { name: "add", arguments: "{}" } } as const;
    const chat = [...hi, { role: "assistant", content: "", tool_calls: [call] }];
    const answer = (id: string) => ({ role: "tool", content: "2", tool_call_id: id });
    const ids = idsOf(renderer.buildGenerationPrompt([...chat, answer("call-1")]));
    expect(tokenizer.decode(ids)).toContain("<|start|>functions.add to=assistant");
    expect(() => renderer.buildGenerationPrompt([...chat, answer("call-2")])).toThrow(/messages\[2\].*name/);
  });

  it("writes schemas as TypeScript", () => {
    const renderer = getRenderer("gpt_oss_no_sysprompt", tokenizer);
    const [, developer] = renderer.declareTools([
      { name: "now", description: "Tell the time", parameters: { type: "object", properties: {} } },
      {
        name: "find",
        description: "Find things",
        parameters: {
          type: "object",
          required: ["query"],
          properties: {
            query: { type: ["string", "integer"], title: "Query", examples: ["né"] },
            order: { type: "string", enum: ["up", "down"], default: "up" },
            where: { type: "object", properties: { x: { type: "integer" } }, required: ["x"] },
            any: {},
            tags: { type: "array", items: { oneOf: [{ type: "string" }, { type: "boolean" }] } },
          },
        },
      },
    ]);
    expect(developer?.content).toContain("// Tell the time\ntype now = () => any;\n");
    expect(developer?.content).toContain(
      [
        "// Query",
        "// ",
        "// Examples:",
        '// - "n\\u00e9"',
        "query: string | number,",
        'order?: "up" | "down", // default: "up"',
        "where?: { x: number },",
        "any?: any,",
        "tags?: string | boolean[],",
      ].join("\n"),
    );
  });
});
