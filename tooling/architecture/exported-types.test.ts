import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, it } from "vitest";
import { entrySources, pinOf } from "./package-sources.js";

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
it.each(entrySources)("pins what $entry exports, types among it", async ({ entry, file }) => {
  const pin = pinOf(entry).replace(/\.txt$/, ".types.txt");
  await expect(`${exportedNames(file).join("\n")}\n`).toMatchFileSnapshot(pin);
});
