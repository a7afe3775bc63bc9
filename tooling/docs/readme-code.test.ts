import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { format } from "node:util";
import { type LocalServer, startLocalServer } from "@tinkex/local";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { codeBlocks } from "./code-blocks.js";

const REPOSITORY = join(import.meta.dirname, "..", "..");
/** Snippets are written here, inside this package, so that their imports resolve as a user's would. */
const SNIPPETS = join(import.meta.dirname, ".snippets");

/** On this page, what follows `console.log(…); //` is what it prints. */
const PAGE_WITH_OUTPUT = "docs/tensors.md";

const pages = [
  "README.md",
  PAGE_WITH_OUTPUT,
  "packages/local/README.md",
  "packages/types/README.md",
  "packages/wire/README.md",
].map((page) => join(REPOSITORY, page));
const snippets = pages.flatMap((page) =>
  codeBlocks(readFileSync(page, "utf8"))
    .filter(({ language }) => language === "ts" || language === "js")
    .map(({ code, line }) => ({
      name: `${relative(REPOSITORY, page)}:${line}`,
      code,
      promised: page.endsWith(PAGE_WITH_OUTPUT) ? promisedOutput(code) : undefined,
    })),
);

function promisedOutput(code: string): readonly string[] {
  return [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, output = ""]) => output);
}

it("the README's install lines name every package that its programs import", () => {
  const blocks = codeBlocks(readFileSync(join(REPOSITORY, "README.md"), "utf8"));
  const installed = blocks
    .filter(({ language }) => language === "sh")
    .flatMap(({ code }) => [...code.matchAll(/^npm install ([^#\n]+)/gm)])
    .flatMap(([, names = ""]) => names.trim().split(/\s+/));
  const imported = blocks
    .filter(({ language }) => language === "ts")
    .flatMap(({ code }) => [...code.matchAll(/(?:from|import) "([^"]+)"/g)].map(([, name]) => name));
  expect(installed).toEqual(expect.arrayContaining(imported));
});

describe("programs shown in the documentation run", () => {
  let server: LocalServer;

  beforeAll(async () => {
    mkdirSync(SNIPPETS, { recursive: true });
    server = await startLocalServer();
    vi.stubEnv("TINKER_BASE_URL", server.url);
  }, 60_000);

  afterAll(async () => {
    vi.unstubAllEnvs();
    await server.close();
    rmSync(SNIPPETS, { recursive: true, force: true });
  });

  it.each(snippets)("$name", { timeout: 60_000 }, async ({ name, code, promised }) => {
    const printed = vi.spyOn(console, "log").mockImplementation(() => {});
    onTestFinished(() => printed.mockRestore());
    const file = join(SNIPPETS, `${name.replace(/\W/g, "-")}.ts`);
    writeFileSync(file, code);
    await import(file);
    expect(printed, "a snippet shows what it does by printing").toHaveBeenCalled();
    if (promised !== undefined) {
      expect(printed.mock.calls.map((values) => format(...values).replaceAll(/\s+/g, " "))).toEqual(promised);
    }
  });
});
