/** A fenced piece of code of a Markdown page. */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** Number of the line where the fence opens, from 1. */
  readonly line: number;
}

/** All fenced code of a Markdown page, in order. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? "",
    code: match[2] ?? "",
    line: markdown.slice(0, match.index).split("\n").length,
  }));
}
