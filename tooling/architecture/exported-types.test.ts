import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { packageFolders, pinOf, readManifest } from "./package-sources.js";

/** Every entry of a package with the source file behind it, from the manifests. */
const entries = packageFolders.flatMap((folder) => {
  const { name, exports } = readManifest(folder);
  return Object.entries(exports).flatMap(([path, targets]) => {
    const source =
      typeof targets === "object" && targets !== null && "@tinkex/source" in targets
        ? targets["@tinkex/source"]
        : undefined;
    if (typeof source !== "string") return [];
    return [
      { entry: name + path.slice(1), file: join(import.meta.dirname, "../../packages", folder, source) },
    ];
  });
});

/** The names a file exports, types among them, in the order of the alphabet. An entry names each: there is no `export *`. */
function exportedNames(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
  return source.statements
    .flatMap((statement) => {
      if (ts.isExportDeclaration(statement)) {
        const { exportClause } = statement;
        if (exportClause === undefined || !ts.isNamedExports(exportClause))
          throw new Error(`${file} exports without naming what`);
        return exportClause.elements.map(({ name }) => name.text);
      }
      const isExported =
        ts.canHaveModifiers(statement) &&
        ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
      if (isExported !== true) return [];
      if (ts.isVariableStatement(statement))
        return statement.declarationList.declarations.map(({ name }) => name.getText(source));
      return "name" in statement && statement.name !== undefined
        ? [(statement.name as ts.Identifier).text]
        : [];
    })
    .filter((name, index, names) => names.indexOf(name) === index)
    .sort();
}

// A changed list is a decision: accept it with `npm test -- --update` and say why in the changeset.
it.each(entries)("pins what $entry exports, types among it", async ({ entry, file }) => {
  const pin = pinOf(entry).replace(/\.txt$/, ".types.txt");
  await expect(`${exportedNames(file).join("\n")}\n`).toMatchFileSnapshot(pin);
});
