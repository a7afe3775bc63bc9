/** A global pattern that finds any of `texts`, the longest where several begin; undefined when there are none. */
export function literalPattern(texts: Iterable<string>): RegExp | undefined {
  // An alternation takes the first branch that matches: longest first makes it the longest match.
  const branches = [...texts]
    .filter((text) => text !== "")
    .sort((a, b) => b.length - a.length)
    .map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return branches.length === 0 ? undefined : new RegExp(branches.join("|"), "g");
}
