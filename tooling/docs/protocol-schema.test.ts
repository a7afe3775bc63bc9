import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codeBlocks } from "./code-blocks.js";
import { REPOSITORY } from "./snippets.js";

it("the schema of the protocol reference is the one that @tinkex/wire is built from", () => {
  const page = readFileSync(join(REPOSITORY, "docs", "protocol", "protobuf.md"), "utf8");
  const shown = codeBlocks(page).filter(({ language }) => language === "proto");
  const schema = readFileSync(join(REPOSITORY, "packages", "wire", "proto", "tinker_public.proto"), "utf8");
  expect(shown.map(({ code }) => declarations(code))).toEqual([declarations(schema)]);
});

/** Messages and enums by their first line, since their order is a matter of taste; comments and indents are left out. */
function declarations(proto: string): Record<string, string[]> {
  const lines = proto
    .split("\n")
    .map((line) => (line.split("//")[0] ?? "").trim())
    .filter((line) => line !== "");
  const found: Record<string, string[]> = {};
  let depth = 0;
  let name = "";
  for (const line of lines) {
    if (depth === 0) name = line;
    found[name] = [...(found[name] ?? []), line];
    depth += line.split("{").length - line.split("}").length;
  }
  return found;
}
