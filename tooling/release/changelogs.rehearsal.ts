import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publicPackages, REPOSITORY } from "../packaging/public-packages.js";
import { run } from "../packaging/run.js";

const CHANGESETS = join(REPOSITORY, "node_modules", "@changesets", "cli", "bin.js");

/** Copies what a change of versions reads and writes: the changesets, and the manifests of all packages. */
function copyOfManifests(): string {
  const copy = mkdtempSync(join(tmpdir(), "tinkex-versions-"));
  const members = ["packages", "apps", "tooling"].flatMap((group) =>
    readdirSync(join(REPOSITORY, group)).map((name) => join(group, name)),
  );
  const manifests = [".", "bench", ...members].map((member) => join(member, "package.json"));
  for (const file of [".changeset", "pnpm-workspace.yaml", ...manifests]) {
    if (existsSync(join(REPOSITORY, file)))
      cpSync(join(REPOSITORY, file), join(copy, file), { recursive: true });
  }
  return copy;
}

describe("a change of versions", () => {
  const copy = copyOfManifests();
  const told = readdirSync(join(copy, ".changeset")).filter(
    (file) => file.endsWith(".md") && file !== "README.md",
  );
  const textIn = (file: string) => readFileSync(join(copy, file), "utf8");
  const sentences = told.map((file) => textIn(join(".changeset", file)).split("---\n").at(-1)?.trim() ?? "");
  afterAll(() => rmSync(copy, { recursive: true, force: true }));
  beforeAll(async () => {
    const { exitCode, output } = await run(process.execPath, [CHANGESETS, "version"], { cwd: copy });
    expect(exitCode, output).toBe(0);
  });

  const folders = publicPackages.map(({ folder }) => relative(REPOSITORY, folder));

  it("writes a changelog for each package, and gives all of them one version", () => {
    const versions = folders.map((folder) => JSON.parse(textIn(join(folder, "package.json"))).version);
    expect(new Set(versions).size).toBe(1);
    for (const folder of folders)
      expect(textIn(join(folder, "CHANGELOG.md")), folder).toContain(`\n## ${versions[0]}\n`);
  });

  it("uses up every changeset, and tells each in a changelog", () => {
    const changelogs = folders.map((folder) => textIn(join(folder, "CHANGELOG.md"))).join("\n");
    const written = changelogs.replace(/\s+/g, " ");
    expect(sentences.filter((text) => text === "" || !written.includes(firstLine(text)))).toEqual([]);
    expect(readdirSync(join(copy, ".changeset")).filter((file) => told.includes(file))).toEqual([]);
  });

  it("leaves packages alone that are never published", () => {
    const files = readdirSync(copy, { recursive: true, encoding: "utf8" });
    const changelogs = files.filter((file) => file.endsWith("CHANGELOG.md")).map(dirname);
    expect(changelogs.sort()).toEqual([...folders].sort());
  });
});

function firstLine(text: string): string {
  return text.split("\n")[0]?.replace(/\s+/g, " ").trim() ?? "";
}
