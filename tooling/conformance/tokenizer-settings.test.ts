import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadTokenizer } from "@tinkex/tokenizer/node";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { runPython } from "./run-python.js";

/** Folders that both read; TINKEX_SETTINGS_CASES has more of them, TINKEX_SETTINGS_SEED others. */
const COUNT = process.env.TINKEX_SETTINGS_CASES ?? "50";
const SEED = process.env.TINKEX_SETTINGS_SEED ?? "1";

/** Result of AutoTokenizer for one folder, as tokenizer_settings_cases.py writes it. */
interface Folder {
  readonly files: Readonly<Record<string, object>>;
  readonly tokenizer: object;
  readonly result: Looked | { readonly error: string };
}

interface Looked {
  readonly addedTokens: Readonly<Record<string, number>>;
  readonly named: Readonly<Record<string, string>>;
  readonly size: number;
  readonly text: string;
  readonly ids: readonly number[];
  readonly withSpecialTokens: readonly number[];
  readonly decoded: string;
  readonly skipped: string;
  readonly tokens: Readonly<Record<string, readonly number[]>>;
}

async function lookAt({ files, tokenizer: json }: Folder, theirs: Looked): Promise<Omit<Looked, "text">> {
  const directory = temporaryDirectory();
  for (const [name, content] of Object.entries({ "tokenizer.json": json, ...files }))
    await writeFile(join(directory, name), JSON.stringify(content));
  const tokenizer = await loadTokenizer(directory);
  const all = { allowedSpecial: "all" } as const;
  return {
    addedTokens: Object.fromEntries(tokenizer.addedTokens),
    named: tokenizer.namedTokens,
    size: tokenizer.vocabularySize,
    ids: tokenizer.encode(theirs.text, all),
    withSpecialTokens: tokenizer.encode("ab", { addSpecialTokens: true }),
    // A token that was added as a normalised one, and again as none, keeps its normalised spelling in Python, here the last.
    decoded: sameButCase(tokenizer.decode(theirs.ids), theirs.decoded),
    // Python does not skip a special token whose normalised spelling is another, see docs/decisions/004.
    skipped: /<[XM]>/.test(theirs.text)
      ? theirs.skipped
      : tokenizer.decode(theirs.ids, { skipSpecialTokens: true }),
    tokens: Object.fromEntries(Object.keys(theirs.tokens).map((text) => [text, tokenizer.encode(text, all)])),
  };
}

/** Gives `theirs` where the two differ in letter case alone, else `ours`. */
function sameButCase(ours: string, theirs: string): string {
  return ours.toLowerCase() === theirs.toLowerCase() ? theirs : ours;
}

/** Fields that differ, by name. */
function differences(ours: Omit<Looked, "text">, theirs: Looked): Record<string, unknown> {
  const fields = Object.entries(ours).filter(([field, value]) => {
    const other = theirs[field as keyof Looked];
    return !Object.is(JSON.stringify(sorted(value)), JSON.stringify(sorted(other)));
  });
  return Object.fromEntries(
    fields.map(([field, value]) => [field, { ours: value, theirs: theirs[field as keyof Looked] }]),
  );
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value;
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

it("random settings beside tokenizer.json are read as AutoTokenizer reads them, or refused", {
  timeout: 3_600_000,
}, async (context) => {
  const made = await runPython(
    "tokenizer_settings_cases.py",
    ["transformers"],
    ["--seed", SEED, "--count", COUNT],
    process.env,
  );
  if ("missing" in made) {
    console.warn(`skipped: random settings of tokenizers: ${made.missing}`);
    context.skip(made.missing);
    return;
  }
  const different: unknown[] = [];
  let refused = 0;
  // The library of tokenizers prints a word of its own about some settings.
  const lines = made.lines.filter((line) => line.startsWith("{"));
  for (const line of lines) {
    const folder: Folder = JSON.parse(line);
    if ("error" in folder.result) {
      refused += 1;
      continue;
    }
    const found = differences(await lookAt(folder, folder.result), folder.result);
    if (Object.keys(found).length > 0) different.push({ files: folder.files, found });
  }
  console.info(`${lines.length} folders, ${different.length} different, ${refused} refused by Python`);
  expect(different).toEqual([]);
  expect(refused).toBeLessThan(lines.length / 2);
});
