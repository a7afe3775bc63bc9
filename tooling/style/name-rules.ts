import ts from "typescript";
import { type Finding, findingAt, type Rule, visitNodes } from "./finding.js";
import { REPLACED_NAMES } from "./replaced-names.js";

/** Beginnings of constants for which MIN_ or MAX_ says the same. */
const SUPERLATIVE = /^(?:MOST|LONGEST|LEAST|FIRST|SHORTEST|LARGEST|SMALLEST|FEWEST)_/;
/** Names that read as a statement: `isOpen`, `hasKey`, `canRetry`, `mustWait`, or a verb with its object as in `keepsThinking`. */
const STATEMENT = /^(?:(?:is|are|has|have|can|was|were|had|did|does|may|must|should)(?![a-z])|[a-z]+s[A-Z])/;
/**
 * Names of booleans that are spelled as other programs spell them: the API's `public`, the platform's `aborted`, those of Hugging Face's tokenizers, and the
 * `train…` fields of the checkpoint records that local servers have written to disk.
 */
const FOREIGN_BOOLEANS: ReadonlySet<string> = new Set([
  "aborted",
  "addGenerationPrompt",
  "addSpecialTokens",
  "lstrip",
  "normalized",
  "public",
  "rstrip",
  "skipSpecialTokens",
  "special",
  "trainAttention",
  "trainMlp",
  "trainUnembedding",
]);

/** Finds declarations of constants such as MOST_BYTES. */
export const findSuperlatives: Rule = (tree) => {
  const findings: Finding[] = [];
  visitNodes(tree, (node) => {
    const name = declaredName(node);
    if (name !== undefined && SUPERLATIVE.test(name.text))
      findings.push(findingAt(tree, name.getStart(), name.text));
  });
  return findings;
};

/** Finds files and exported names for which the field has a word. */
export const findReplacedNames: Rule = (tree, path) => {
  const base = path.slice(path.lastIndexOf("/") + 1).replace(/\.ts$/, "");
  const findings: Finding[] = holdsReplaced(base) ? [findingAt(tree, 0, path)] : [];
  visitNodes(tree, (node) => {
    const name = declaredName(node);
    if (name === undefined || !isExported(node) || !holdsReplaced(kebab(name.text))) return;
    findings.push(findingAt(tree, name.getStart(), name.text));
  });
  return findings;
};

/**
 * Finds variables, parameters and properties written as booleans whose name is no statement. Names with an underscore are the
 * API's, and those of interfaces named for options, parameters or settings are what a user types.
 */
export const findBooleanNames: Rule = (tree) => {
  const findings: Finding[] = [];
  visitNodes(tree, (node) => {
    const name = declaredName(node);
    if (name === undefined || !isWrittenBoolean(node) || isUserOption(node)) return;
    const text = name.text.replace("#", "");
    if (text.includes("_") || STATEMENT.test(text) || FOREIGN_BOOLEANS.has(text)) return;
    findings.push(findingAt(tree, name.getStart(), name.text));
  });
  return findings;
};

function declaredName(node: ts.Node): ts.Identifier | ts.PrivateIdentifier | undefined {
  const isDeclaration =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isEnumMember(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isEnumDeclaration(node);
  if (!isDeclaration || node.name === undefined) return undefined;
  return ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name) ? node.name : undefined;
}

function isExported(node: ts.Node): boolean {
  const owner = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  if (!ts.canHaveModifiers(owner)) return false;
  return ts.getModifiers(owner)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

/** Spells `TryWatch` and `tryWatch` as files are: `try-watch`. */
function kebab(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])/g, "-").toLowerCase();
}

function holdsReplaced(name: string): boolean {
  return Object.keys(REPLACED_NAMES).some((replaced) => `-${name}-`.includes(`-${replaced}-`));
}

function isWrittenBoolean(node: ts.Node): boolean {
  if (
    !ts.isVariableDeclaration(node) &&
    !ts.isParameter(node) &&
    !ts.isPropertyDeclaration(node) &&
    !ts.isPropertySignature(node)
  ) {
    return false;
  }
  if (node.type !== undefined) return isBooleanType(node.type);
  if (ts.isPropertySignature(node)) return false;
  const kind = node.initializer?.kind;
  return kind === ts.SyntaxKind.TrueKeyword || kind === ts.SyntaxKind.FalseKeyword;
}

function isBooleanType(type: ts.TypeNode): boolean {
  if (!ts.isUnionTypeNode(type)) return type.kind === ts.SyntaxKind.BooleanKeyword;
  const kinds = type.types.map(({ kind }) => kind);
  return kinds.every(
    (kind) => kind === ts.SyntaxKind.BooleanKeyword || kind === ts.SyntaxKind.UndefinedKeyword,
  );
}

function isUserOption({ parent }: ts.Node): boolean {
  return (
    ts.isInterfaceDeclaration(parent) && /(?:Options|Params|Settings|Config|Request)$/.test(parent.name.text)
  );
}
