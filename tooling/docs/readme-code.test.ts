import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "node:util";
import { type LocalServer, startLocalServer } from "@tinkex/local";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { codeBlocks } from "./code-blocks.js";
import { fileOf, isRunHere, REPOSITORY, snippetsOf } from "./snippets.js";

/** Snippets are written here, inside this package, so that their imports resolve as a user's would. */
const SNIPPETS = join(import.meta.dirname, ".snippets");

const snippets = [
  "README.md",
  "docs/guides.md",
  "docs/retries.md",
  "docs/tensors.md",
  "packages/http/README.md",
  "packages/local/README.md",
  "packages/tinkex/README.md",
  "packages/types/README.md",
  "packages/wire/README.md",
]
  .flatMap(snippetsOf)
  .filter(isRunHere);

it("nearly all programs of these pages are run", () => {
  expect(snippets.length).toBeGreaterThan(15);
});

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

  it.each(snippets)("$name", { timeout: 60_000 }, async (snippet) => {
    const printed = vi.spyOn(console, "log").mockImplementation(() => {});
    onTestFinished(() => printed.mockRestore());
    const file = fileOf(snippet, SNIPPETS);
    writeFileSync(file, snippet.code);
    await import(file);
    expect(printed, "a snippet shows what it does by printing").toHaveBeenCalled();
    const lines = printed.mock.calls.map((values) => format(...values).replaceAll(/\s+/g, " "));
    if (snippet.promised !== undefined) expect(lines).toEqual(snippet.promised);
  });
});
