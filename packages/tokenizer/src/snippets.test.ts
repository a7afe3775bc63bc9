import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { recordedTokenizers } from "./testing/recorded-tokenizers.js";
import { runSource } from "./testing/run-source.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const tokenizerPackage = join(root, "packages/tokenizer");

// Snippets run as files of the package, so that they find it by its name; the hub is a cache that has the model.
mkdirSync(join(tokenizerPackage, ".cache"), { recursive: true });
const folder = temporaryDirectory({ parent: join(tokenizerPackage, ".cache"), prefix: "snippets-" });
const cache = temporaryDirectory();
const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const repository = join(cache, "models--Qwen--Qwen3-8B");
const qwen3 = recordedTokenizers.find(({ name }) => name === "qwen3")?.directory ?? "";
mkdirSync(join(repository, "refs"), { recursive: true });
writeFileSync(join(repository, "refs/main"), COMMIT);
cpSync(qwen3, join(repository, "snapshots", COMMIT), { recursive: true });

const PAGES = ["packages/tokenizer/README.md", "docs/tokenizers.md"];

// In one process, as each would load the tokenizer anew.
it("what pages show prints what they say", async () => {
  const imports: string[] = [];
  const promised: (string | undefined)[] = [];
  for (const page of PAGES) {
    const text = readFileSync(join(root, page), "utf8");
    const snippets = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
    expect(snippets.length, page).toBeGreaterThan(0);
    imports.push(`console.log(${JSON.stringify(page)});`);
    for (const [index, code] of snippets.entries()) {
      const file = `${page.replaceAll(/\W/g, "-")}${index}.ts`;
      writeFileSync(join(folder, file), code);
      imports.push(`await import("./${file}");`);
    }
    promised.push(
      page,
      ...[...text.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, output]) => output),
    );
  }
  const main = pathToFileURL(join(folder, "main.ts")).href;
  const printed = await runSource(imports.join("\n"), main, { HF_HUB_CACHE: cache, HF_HUB_OFFLINE: "1" });
  expect(printed.trimEnd().split("\n")).toEqual(promised);
}, 60_000);
