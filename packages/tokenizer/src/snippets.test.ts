import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { recordedTokenizers } from "./testing/recorded-tokenizers.js";
import { runSource } from "./testing/run-source.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const tokenizerPackage = join(root, "packages/tokenizer");

// Snippets run as files of the package, so that they find it by its name; the hub is a cache that has the model.
mkdirSync(join(tokenizerPackage, ".cache"), { recursive: true });
const folder = mkdtempSync(join(tokenizerPackage, ".cache/snippets-"));
const cache = mkdtempSync(join(tmpdir(), "tinkex-snippets-"));
afterAll(() => {
  for (const path of [folder, cache]) rmSync(path, { recursive: true });
});
const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const repository = join(cache, "models--Qwen--Qwen3-8B");
const qwen3 = recordedTokenizers.find(({ name }) => name === "qwen3")?.directory ?? "";
mkdirSync(join(repository, "refs"), { recursive: true });
writeFileSync(join(repository, "refs/main"), COMMIT);
cpSync(qwen3, join(repository, "snapshots", COMMIT), { recursive: true });

it.each(["packages/tokenizer/README.md", "docs/tokenizers.md"])(
  "%s prints what it says",
  async (page) => {
    const text = readFileSync(join(root, page), "utf8");
    const snippets = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
    expect(snippets.length).toBeGreaterThan(0);
    const name = page.replaceAll(/\W/g, "-");
    const files = snippets.map((code, index) => {
      writeFileSync(join(folder, `${name}${index}.ts`), code);
      return `./${name}${index}.ts`;
    });
    const main = join(folder, `${name}.ts`);
    writeFileSync(main, files.map((file) => `await import(${JSON.stringify(file)});`).join("\n"));
    const printed = await runSource(main, [], { HF_HUB_CACHE: cache, HF_HUB_OFFLINE: "1" });
    const promised = [...text.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, output]) => output);
    expect(printed.trimEnd().split("\n")).toEqual(promised);
  },
  60_000,
);
