import ts from "typescript";
import { type Finding, findingAt, type Rule, visitNodes } from "./finding.js";

/** Finds `++` and `--`, for which `+= 1` and `-= 1` stand here. */
export const findIncrements: Rule = (tree) => {
  const findings: Finding[] = [];
  visitNodes(tree, (node) => {
    if (!ts.isPrefixUnaryExpression(node) && !ts.isPostfixUnaryExpression(node)) return;
    if (node.operator !== ts.SyntaxKind.PlusPlusToken && node.operator !== ts.SyntaxKind.MinusMinusToken)
      return;
    findings.push(findingAt(tree, node.getStart(), node.getText()));
  });
  return findings;
};
