import { readFileSync } from "node:fs";
import { createTokenizer } from "@tinkex/tokenizer";
import { applyChatTemplate } from "@tinkex/tokenizer/chat-template";
import { expect, it } from "vitest";
import { runPython } from "./run-python.js";

/** Templates rendered by both; TINKEX_TEMPLATE_CASES has more of them, TINKEX_TEMPLATE_SEED others. */
const COUNT = process.env.TINKEX_TEMPLATE_CASES ?? "200";
const TOKENIZER = new URL("../../packages/tokenizer/fixtures/tiny/tokenizer.json", import.meta.url);
const SEED = process.env.TINKEX_TEMPLATE_SEED ?? "1";

it("random templates are rendered as jinja2 with transformers' settings renders them, or refused", {
  timeout: 3_600_000,
}, async (context) => {
  const made = await runPython(
    "template_cases.py",
    ["jinja2", "transformers"],
    ["--seed", SEED, "--count", COUNT],
    process.env,
  );
  if ("missing" in made) {
    console.warn(`skipped: random templates: ${made.missing}`);
    context.skip(made.missing);
    return;
  }
  const [head = "{}", ...lines] = made.lines;
  const { jinja2, variables } = JSON.parse(head);
  expect(jinja2).toBe("3.1.6");
  const { messages, ...others } = variables;
  const tokenizer = createTokenizer({ tokenizer: JSON.parse(readFileSync(TOKENIZER, "utf8")) });
  const different: unknown[] = [];
  let refused = 0;
  for (const line of lines) {
    const { source, result } = JSON.parse(line);
    let text: string | undefined;
    try {
      text = applyChatTemplate(tokenizer, messages, { template: source, variables: others }).text;
    } catch (error) {
      expect(String(error)).toMatch(/^ValidationError: .* \(line \d+\)$/s);
    }
    if (text === undefined) refused += result.text === undefined ? 0 : 1;
    else if (text !== result.text) different.push({ source, jinja2: result, here: text });
  }
  console.info(`${lines.length} templates, ${different.length} different, ${refused} refused here alone`);
  expect(different).toEqual([]);
  expect(refused).toBeLessThan(lines.length / 15);
});
