import ts from "typescript";

/** A comment without its marks; lines of `//` that follow one another are one. */
export interface Comment {
  readonly position: number;
  readonly text: string;
  readonly isDoc: boolean;
}

const collected = new WeakMap<ts.SourceFile, readonly Comment[]>();

/** Gives the comments of a file, in order; several rules read them, so they are collected once. */
export function commentsOf(tree: ts.SourceFile): readonly Comment[] {
  const comments = collected.get(tree) ?? collectComments(tree);
  collected.set(tree, comments);
  return comments;
}

function collectComments(tree: ts.SourceFile): Comment[] {
  const ranges = new Map<number, ts.CommentRange>();
  const collect = (node: ts.Node): void => {
    const { text } = tree;
    for (const range of [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ]) {
      ranges.set(range.pos, range);
    }
    for (const child of node.getChildren(tree)) if (!isJsDoc(child)) collect(child);
  };
  for (const child of tree.getChildren(tree)) collect(child);
  const inOrder = [...ranges.values()].sort((a, b) => a.pos - b.pos);
  return joinLines(tree, inOrder);
}

function isJsDoc({ kind }: ts.Node): boolean {
  return kind >= ts.SyntaxKind.FirstJSDocNode && kind <= ts.SyntaxKind.LastJSDocNode;
}

function joinLines(tree: ts.SourceFile, ranges: readonly ts.CommentRange[]): Comment[] {
  const comments: Comment[] = [];
  let end: ts.CommentRange | undefined;
  for (const range of ranges) {
    const raw = tree.text.slice(range.pos, range.end);
    const last = comments.at(-1);
    const isNextLine =
      end !== undefined &&
      raw.startsWith("//") &&
      tree.text.startsWith("//", end.pos) &&
      startsLine(tree, range.pos) &&
      startsLine(tree, end.pos) &&
      lineAt(tree, range.pos) === lineAt(tree, end.pos) + 1;
    if (isNextLine && last !== undefined) {
      comments[comments.length - 1] = { ...last, text: `${last.text}\n${withoutMarks(raw)}` };
    } else {
      comments.push({ position: range.pos, text: withoutMarks(raw), isDoc: raw.startsWith("/**") });
    }
    end = range;
  }
  return comments;
}

function lineAt(tree: ts.SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line;
}

function startsLine(tree: ts.SourceFile, position: number): boolean {
  const { line } = tree.getLineAndCharacterOfPosition(position);
  return tree.text.slice(tree.getLineStarts()[line], position).trim() === "";
}

function withoutMarks(raw: string): string {
  if (raw.startsWith("//")) return raw.slice(2).trim();
  const lines = raw.slice(2, -2).split("\n");
  return lines
    .map((line) => line.trim().replace(/^\*+/, "").trim())
    .join("\n")
    .trim();
}
