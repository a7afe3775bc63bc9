import ts from "typescript";

/** Lines of a package's bundled `index.d.ts`. */
export interface DeclarationLines {
  readonly total: number;
  /** Lines, with their comments, of declarations that are not exported and of members marked `@internal`. */
  readonly internal: number;
  /** Names of the declarations that are not exported. */
  readonly internalNames: readonly string[];
}

/** Counts the lines of bundled declarations, and those of them that users can read but not import. */
export function countDeclarations(code: string): DeclarationLines {
  const tree = ts.createSourceFile("index.d.ts", code, ts.ScriptTarget.Latest, true);
  const exported = new Set(tree.statements.flatMap(exportedNames));
  let internal = 0;
  const internalNames: string[] = [];
  for (const statement of tree.statements) {
    const name = declaredName(statement);
    if (name === undefined || exported.has(name) || isExported(statement)) {
      for (const member of internalMembers(statement)) internal += linesOf(tree, member);
    } else {
      internal += linesOf(tree, statement);
      internalNames.push(name);
    }
  }
  return { total: lineOf(tree, code.trimEnd().length) + 1, internal, internalNames };
}

function internalMembers(statement: ts.Statement): ts.Node[] {
  if (!ts.isClassDeclaration(statement) && !ts.isInterfaceDeclaration(statement)) return [];
  return [...statement.members].filter((member) =>
    ts.getJSDocTags(member).some(({ tagName }) => tagName.text === "internal"),
  );
}

/** Counts the lines of a declaration and of its comment. */
function linesOf(tree: ts.SourceFile, node: ts.Node): number {
  const [comment] = ts.getJSDocCommentsAndTags(node);
  const start = comment?.getStart() ?? node.getStart();
  return lineOf(tree, node.getEnd()) - lineOf(tree, start) + 1;
}

function lineOf(tree: ts.SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line;
}

/** Tells whether a declaration begins with the word `export`. */
function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

function exportedNames(statement: ts.Statement): string[] {
  if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) return [];
  if (!ts.isNamedExports(statement.exportClause)) return [];
  return statement.exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
}

function declaredName(statement: ts.Statement): string | undefined {
  const isDeclaration =
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isEnumDeclaration(statement);
  if (isDeclaration) return statement.name?.text;
  if (!ts.isVariableStatement(statement)) return undefined;
  const [first] = statement.declarationList.declarations;
  return first !== undefined && ts.isIdentifier(first.name) ? first.name.text : undefined;
}
