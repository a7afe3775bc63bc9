import type ts from "typescript";

/** One place that departs from docs/style.md. */
export interface Finding {
  readonly line: number;
  /** The words it is about. */
  readonly text: string;
}

/** Reads one source file; `path` is relative to the repository, with forward slashes. */
export type Rule = (tree: ts.SourceFile, path: string) => Finding[];

/** Makes a finding about `text`, at a position of the file. */
export function findingAt(tree: ts.SourceFile, position: number, text: string): Finding {
  return { line: tree.getLineAndCharacterOfPosition(position).line + 1, text };
}

/** Visits every node of a file, parents before children. */
export function visitNodes(tree: ts.SourceFile, visitor: (node: ts.Node) => void): void {
  const visit = (node: ts.Node): void => {
    visitor(node);
    node.forEachChild(visit);
  };
  tree.forEachChild(visit);
}
