import ts from "typescript";
import { findingAt, type Rule } from "./finding.js";

const MAX_LINES = 400;
/** Names of folders and files that say nothing of what is in them. */
const VAGUE_NAMES: ReadonlySet<string> = new Set(["utils", "util", "helpers", "helper", "common", "misc"]);

/** Finds files of more than {@link MAX_LINES} lines that are not data. */
export const findLongFiles: Rule = (tree, path) => {
  const lines = tree.getLineAndCharacterOfPosition(tree.text.trimEnd().length).line + 1;
  const isData = path.includes("/data/");
  return lines <= MAX_LINES || isData ? [] : [findingAt(tree, 0, `${lines} lines`)];
};

/** Finds files that are called, or lie in a folder that is called, utils or the like. */
export const findVagueNames: Rule = (tree, path) => {
  const vague = path
    .replace(/\.ts$/, "")
    .split("/")
    .filter((name) => VAGUE_NAMES.has(name));
  return vague.map((name) => findingAt(tree, 0, name));
};

/** Finds `export *`, by which a name becomes public without anybody deciding it. */
export const findStarExports: Rule = (tree) =>
  tree.statements
    .filter(
      (statement) =>
        ts.isExportDeclaration(statement) &&
        (statement.exportClause === undefined || ts.isNamespaceExport(statement.exportClause)),
    )
    .map((statement) => findingAt(tree, statement.getStart(), statement.getText()));
