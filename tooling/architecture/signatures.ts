import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

/** Source of a name: a file of the package, or another package. */
interface Origin {
  readonly name: string;
  readonly module: string;
}

/** Declarations of one source file, by name, without comments; overloads stand one below the other. */
const DECLARATIONS = new Map<string, ReadonlyMap<string, string>>();

/**
 * Writes the signature of every name that an entry exports, in the order of the alphabet. Each file is read alone, without its types being
 * worked out, so that all packages take some seconds; a constant whose type is not written down is shown with that of its initial value, or
 * as `(inferred)`, which this way of reading calls by the name of the type that the sources never use.
 */
export function signaturesOf(entryFile: string): string {
  const signatures = [...exportsOf(entryFile)].map(([name, origin]) => {
    if (!origin.module.startsWith("/")) return [name, `export { ${origin.name} } from "${origin.module}";`];
    const declaration = declarationsOf(origin.module).get(origin.name);
    if (declaration === undefined) throw new Error(`${origin.module} does not declare ${origin.name}`);
    return [name, declaration.replaceAll(": any;", ": (inferred);")];
  });
  signatures.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  return signatures.map(([, text]) => `${text}\n`).join("\n");
}

/** The names that a file exports, with the file that declares each. */
function exportsOf(file: string): Map<string, Origin> {
  const found = new Map<string, Origin>();
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause, moduleSpecifier } = statement;
      if (exportClause === undefined || !ts.isNamedExports(exportClause)) continue;
      for (const { name, propertyName } of exportClause.elements) {
        const original = (propertyName ?? name).text;
        found.set(name.text, originOf(source, file, original, moduleSpecifier));
      }
      continue;
    }
    for (const name of declaredNames(statement)) found.set(name, { name, module: file });
  }
  return found;
}

/** Follows a name to the file that declares it. */
function originOf(
  source: ts.SourceFile,
  file: string,
  name: string,
  specifier: ts.Expression | undefined,
): Origin {
  const path = specifier ?? importOf(source, name);
  if (path === undefined) return { name, module: file };
  const text = (path as ts.StringLiteral).text;
  if (!text.startsWith(".")) return { name, module: text };
  const target = join(dirname(file), text.replace(/\.js$/, ".ts"));
  if (!existsSync(target)) throw new Error(`${file} exports ${name} from ${text}, which is not there`);
  return exportsOf(target).get(name) ?? { name, module: target };
}

/** The module that a file imports a name from which it exports again by itself. */
function importOf(source: ts.SourceFile, name: string): ts.Expression | undefined {
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue;
    if (bindings.elements.some((element) => element.name.text === name)) return statement.moduleSpecifier;
  }
  return undefined;
}

function declarationsOf(file: string): ReadonlyMap<string, string> {
  const known = DECLARATIONS.get(file);
  if (known !== undefined) return known;
  const { outputText } = ts.transpileDeclaration(readFileSync(file, "utf8"), {
    fileName: file,
    compilerOptions: { declaration: true, removeComments: true, target: ts.ScriptTarget.ES2023 },
  });
  const source = ts.createSourceFile(`${file}.d.ts`, outputText, ts.ScriptTarget.Latest);
  const found = new Map<string, string>();
  for (const statement of source.statements) {
    const text = statement
      .getText(source)
      .replace("export declare ", "export ")
      .replace(/^ *#private;\n/gm, "");
    for (const name of declaredNames(statement)) {
      const before = found.get(name);
      found.set(name, before === undefined ? text : `${before}\n${text}`);
    }
  }
  DECLARATIONS.set(file, found);
  return found;
}

/** The names that a statement declares and exports. */
function declaredNames(statement: ts.Statement): readonly string[] {
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  if (!isExported) return [];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}
