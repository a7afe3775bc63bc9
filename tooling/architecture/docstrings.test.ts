import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { entrySources } from "./package-sources.js";

/** Declarations of one file that are exported under one of the names, with their source. */
function declarations(file: string, names: ReadonlySet<string>): [ts.SourceFile, ts.DeclarationStatement][] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  return source.statements.flatMap((statement): [ts.SourceFile, ts.DeclarationStatement][] => {
    const isNamed =
      ts.isFunctionDeclaration(statement) ||
      ts.isClassDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement);
    return isNamed && statement.name !== undefined && names.has(statement.name.text)
      ? [[source, statement]]
      : [];
  });
}

/** Members of a class that a user sees, without those that say what another one says. */
function publicMembers(statement: ts.Node): readonly ts.ClassElement[] {
  if (!ts.isClassDeclaration(statement)) return [];
  return statement.members.filter((member) => {
    const isHidden = ts
      .getModifiers(member as ts.MethodDeclaration)
      ?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.OverrideKeyword);
    return isHidden !== true && member.name !== undefined && ts.isIdentifier(member.name);
  });
}

it("finds a docstring at every function, class and type of the client, and at every member of its classes", () => {
  const index = entrySources.find(({ entry }) => entry === "@tinkex/client")?.file ?? "";
  const source = ts.createSourceFile(index, readFileSync(index, "utf8"), ts.ScriptTarget.Latest, true);
  const missing: string[] = [];
  let seenCount = 0;
  for (const statement of source.statements) {
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) continue;
    const path = (statement.moduleSpecifier as ts.StringLiteral).text;
    const clause = statement.exportClause;
    if (!path.startsWith(".") || clause === undefined || !ts.isNamedExports(clause)) continue;
    const names = new Set(clause.elements.map(({ name, propertyName }) => (propertyName ?? name).text));
    const file = join(dirname(index), path.replace(/\.js$/, ".ts"));
    for (const [declared, declaration] of declarations(file, names)) {
      for (const node of [declaration, ...publicMembers(declaration)]) {
        seenCount += 1;
        const name = `${declaration.name?.getText(declared)} ${node.name?.getText(declared)}`;
        if (ts.getJSDocCommentsAndTags(node).length === 0) missing.push(`${path}: ${name}`);
      }
    }
  }
  expect(seenCount).toBeGreaterThan(150);
  expect(missing).toEqual([]);
});
