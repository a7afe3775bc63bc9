import ts from "typescript";
import { type Finding, findingAt, type Rule, visitNodes } from "./finding.js";
import { startsLowerCase } from "./first-word.js";

/** Constructors of errors, by the last word of their name. */
const ERROR_CLASS = /(?:Error|Failure|Refusal|Rejection)$/;
/** Functions that make an error of a message, wherever they are called; others count where what they return is thrown. */
const ERROR_MAKER =
  /(?:Error|Failure|Refusal|Rejection|^refusal|^refused|^fail|^fault|^invalid|^unsupported)$/;

/** Finds error messages that start with a capital. */
export const findCapitalMessages: Rule = (tree) =>
  findMessages(tree, (message) => startsOf(message).filter((start) => !startsLowerCase(start)));

/** Finds error messages that end with a full stop. */
export const findFullStopMessages: Rule = (tree) =>
  findMessages(tree, (message) => endsOf(message).filter((end) => end.trimEnd().endsWith(".")));

function findMessages(tree: ts.SourceFile, faultsOf: (message: ts.Expression) => string[]): Finding[] {
  const findings: Finding[] = [];
  visitNodes(tree, (node) => {
    for (const message of messagesOf(node)) {
      if (faultsOf(message).length === 0) continue;
      findings.push(findingAt(tree, message.getStart(tree), message.getText(tree)));
    }
  });
  return findings;
}

/** Gives the arguments that are written as text where a node makes an error: its message, in one piece or in several. */
function messagesOf(node: ts.Node): readonly ts.Expression[] {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return [];
  return makesError(node) ? (node.arguments ?? []) : [];
}

function makesError(node: ts.NewExpression | ts.CallExpression): boolean {
  const { expression: called, parent } = node;
  if (called.kind === ts.SyntaxKind.SuperKeyword) return isInErrorClass(node);
  const name = ts.isPropertyAccessExpression(called) ? called.name.text : called.getText();
  if (ts.isNewExpression(node)) return ERROR_CLASS.test(name);
  return ts.isThrowStatement(parent) || ERROR_MAKER.test(name);
}

function isInErrorClass(node: ts.Node): boolean {
  const owner = ts.findAncestor(node, ts.isClassLike);
  return (
    owner?.heritageClauses?.some(({ types }) =>
      types.some((type) => ERROR_CLASS.test(type.expression.getText())),
    ) === true
  );
}

/** The written beginnings of a text: of each branch of a choice, and none of what is known only at run time. */
function startsOf(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    const [first] = node.templateSpans;
    if (node.head.text !== "" || first === undefined) return [node.head.text];
    return startsOf(first.expression);
  }
  return branchesOf(node, startsOf, "left");
}

/** The written ends of a text. */
function endsOf(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    const last = node.templateSpans.at(-1);
    if (last === undefined) return [node.head.text];
    return last.literal.text === "" ? endsOf(last.expression) : [last.literal.text];
  }
  return branchesOf(node, endsOf, "right");
}

function branchesOf(
  node: ts.Expression,
  read: (node: ts.Expression) => string[],
  side: "left" | "right",
): string[] {
  if (ts.isParenthesizedExpression(node)) return read(node.expression);
  if (ts.isConditionalExpression(node)) return [...read(node.whenTrue), ...read(node.whenFalse)];
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return read(node[side]);
  return [];
}
