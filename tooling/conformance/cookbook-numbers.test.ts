import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { COMPARISONS } from "./compare-numbers.js";
import { runPython } from "./run-python.js";

/** Cases of each kind of number; TINKEX_COOKBOOK_CASES has more of them, TINKEX_COOKBOOK_SEED others. */
const COUNT = process.env.TINKEX_COOKBOOK_CASES ?? "50";
const SEED = process.env.TINKEX_COOKBOOK_SEED ?? "1";
const TOKENIZER = new URL("../../packages/renderers/fixtures/layout-tokenizer.json.gz", import.meta.url);
/** Cases of each kind: `python cookbook_numbers.py --seed 2026 --count 25`. */
const SAMPLE = new URL("cookbook-numbers-sample.jsonl.gz", import.meta.url);

/** Compares what cookbook_numbers.py wrote. @returns the kinds that were compared, and the differences of each, the first few */
function compared(lines: readonly string[]) {
  const [head = "{}", ...kinds] = lines;
  expect(JSON.parse(head)).toEqual({ cookbook: "0.6.1" });
  const differences: Record<string, readonly string[]> = {};
  const names: string[] = [];
  for (const line of kinds) {
    const { kind, cases }: { readonly kind: string; readonly cases: readonly never[] } = JSON.parse(line);
    const compare = COMPARISONS[kind];
    if (compare === undefined) throw new Error(`nothing compares ${kind}`);
    const found = cases.flatMap((one, index) => compare(one).map((difference) => `${index}: ${difference}`));
    names.push(kind);
    if (found.length > 0) differences[kind] = found.slice(0, 3);
  }
  return { names, differences };
}

it("recipes make of a recorded sample of random numbers and chats what the cookbook makes of them", () => {
  const { names, differences } = compared(gunzipSync(readFileSync(SAMPLE)).toString().trimEnd().split("\n"));
  expect(names).toEqual(Object.keys(COMPARISONS));
  expect(differences).toEqual({});
});

it("recipes make of random numbers and chats what the cookbook makes of them now", {
  timeout: 3_600_000,
}, async (context) => {
  const made = await runPython(
    "cookbook_numbers.py",
    ["tinker_cookbook", "transformers", "torch"],
    ["--tokenizer", fileURLToPath(TOKENIZER), "--seed", SEED, "--count", COUNT],
    process.env,
  );
  if ("missing" in made) {
    console.warn(`skipped: the cookbook's numbers: ${made.missing}`);
    context.skip(made.missing);
    return;
  }
  const { names, differences } = compared(made.lines);
  console.info(`${COUNT} cases of each of ${names.join(", ")}`);
  expect(differences).toEqual({});
});
