import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import type { Finding } from "./finding.js";
import { RULES } from "./rules.js";

const ROOT = join(import.meta.dirname, "..", "..");
const GROUPS = ["packages", "apps"];
/** Tests may say things their own way, and nobody writes what is generated. */
const NOT_CHECKED = /\.test\.ts$|\.d\.ts$|\/generated\//;

/** A finding with its rule and its place. */
export interface PlacedFinding extends Finding {
  /** `packages/client`. */
  readonly folder: string;
  readonly rule: string;
  readonly file: string;
}

/** Checks the sources of every package and app. */
export function checkSources(): PlacedFinding[] {
  return sourceFiles().flatMap((file) => {
    const folder = file.split("/").slice(0, 2).join("/");
    const findings = checkFile(file, readFileSync(join(ROOT, file), "utf8"));
    return findings.map((finding) => ({ ...finding, folder, file }));
  });
}

/** Lists the files that are checked, relative to the repository. */
export function sourceFiles(): string[] {
  return GROUPS.flatMap((group) =>
    readdirSync(join(ROOT, group)).flatMap((name) => sourcesOf(`${group}/${name}`)),
  );
}

/** Checks the text of one file against every rule. */
export function checkFile(path: string, code: string): (Finding & { readonly rule: string })[] {
  const tree = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true);
  return Object.entries(RULES).flatMap(([rule, find]) =>
    find(tree, path).map((finding) => ({ ...finding, rule })),
  );
}

function sourcesOf(folder: string): string[] {
  const sources = join(ROOT, folder, "src");
  if (!existsSync(sources)) return [];
  return readdirSync(sources, { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/src/${name.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".ts") && !NOT_CHECKED.test(file))
    .sort();
}
