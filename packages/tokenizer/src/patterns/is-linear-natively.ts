import type { PatternNode } from "./pattern-syntax.js";

/**
 * Says whether V8's own matcher, which tries one way after another, finds all matches of a pattern in time that grows with
 * the text alone. Proven for the shapes that the patterns of tokenizers have; false says only that no proof is known.
 *
 * Each branch must take what it looks at: once its first unbounded repeat has begun, nothing behind it can fail. A branch
 * that can (`\s*[\r\n]+` in a run of spaces) may stand where a later one takes the whole run that was looked at in vain.
 */
export function isLinearNatively(pattern: PatternNode): boolean {
  const branches = pattern.kind === "choice" ? pattern.branches : [pattern];
  return branches.every((branch, index) => {
    const rest = branches.slice(index + 1);
    return (
      takesAllItSees(itemsOf(branch)) || isCoveredSpaces(branch, rest) || isCoveredLetters(branch, rest[0])
    );
  });
}

function itemsOf(node: PatternNode): readonly PatternNode[] {
  return node.kind === "sequence" ? node.items.flatMap(itemsOf) : [node];
}

function takesAllItSees(items: readonly PatternNode[]): boolean {
  const first = items.findIndex((item) => !isBounded(item));
  const before = first === -1 ? items : items.slice(0, first);
  const waysBefore = before.reduce((product, item) => product * ways(item), 1);
  const repeat = items[first];
  if (repeat === undefined) return waysBefore <= MAX_WAYS;
  if (repeat.kind !== "repeat" || repeat.isLazy || !isBounded(repeat.body)) return false;
  if (waysBefore * ways(repeat.body) ** repeat.min > MAX_WAYS) return false;
  return items.slice(first + 1).every((item) => isGreedyOption(item));
}

function isGreedyOption(item: PatternNode): boolean {
  return item.kind === "repeat" && item.min === 0 && !item.isLazy && isBounded(item.body);
}

/** Says whether a node looks at few characters: of itself, not through its repeats in one another. */
function isBounded(node: PatternNode): boolean {
  return ways(node) <= MAX_WAYS;
}

const MAX_WAYS = 256;
const MAX_COUNT = 256;

/** Says how many ways a match of a node can be tried, at most; infinite where it is unbounded. */
function ways(node: PatternNode): number {
  switch (node.kind) {
    case "character":
      return 1;
    case "sequence":
      return node.items.reduce((product, item) => product * ways(item), 1);
    case "choice":
      return node.branches.reduce((sum, branch) => sum + ways(branch), 0);
    case "look":
      return ways(node.body);
    case "repeat":
      if (node.max > MAX_COUNT) return Number.POSITIVE_INFINITY;
      if (node.body.kind === "character") return node.max - node.min + 1;
      // Each way of the body, again and again, or none.
      return (ways(node.body) + 1) ** node.max;
  }
}

const SPACE = String.raw`\p{White_Space}`;
const SPACES_THAT_MAY_FAIL = new Set([
  String.raw`${SPACE}*[\r\n]+`,
  String.raw`${SPACE}*[\r\n]`,
  String.raw`${SPACE}*[\n\r]+`,
  String.raw`${SPACE}+(?!\P{White_Space})`,
  String.raw`${SPACE}+(?:(?=\n)|(?![\s\S]))`,
]);

/** A branch of white space behind which there are only such branches, and at last one that takes all white space. */
function isCoveredSpaces(branch: PatternNode, rest: readonly PatternNode[]): boolean {
  const isOneThatMayFail = (node: PatternNode) =>
    node.kind === "sequence" && SPACES_THAT_MAY_FAIL.has(node.source);
  const last = rest.at(-1);
  return (
    isOneThatMayFail(branch) &&
    last?.kind === "sequence" &&
    last.source === `${SPACE}+` &&
    rest.slice(0, -1).every(isOneThatMayFail)
  );
}

/** `p?A*B+q?` right before `p?A+B*q?`: the second takes the letters of A that the first found no B behind. */
function isCoveredLetters(branch: PatternNode, next: PatternNode | undefined): boolean {
  if (next === undefined) return false;
  const [prefix, many, some, ...rest] = itemsOf(branch);
  const [samePrefix, atLeastOne, any, ...sameRest] = itemsOf(next);
  return (
    prefix !== undefined &&
    isBounded(prefix) &&
    sourceOf(prefix) === sourceOf(samePrefix) &&
    isRepeatOf(many, 0) &&
    isRepeatOf(some, 1) &&
    isRepeatOf(atLeastOne, 1) &&
    isRepeatOf(any, 0) &&
    sourceOf(bodyOf(many)) === sourceOf(bodyOf(atLeastOne)) &&
    sourceOf(bodyOf(some)) === sourceOf(bodyOf(any)) &&
    rest.every(isGreedyOption) &&
    sameRest.every(isGreedyOption)
  );
}

function isRepeatOf(node: PatternNode | undefined, min: number): boolean {
  return (
    node?.kind === "repeat" &&
    node.min === min &&
    node.max === Number.POSITIVE_INFINITY &&
    !node.isLazy &&
    isOneOfAClass(node.body)
  );
}

/** One character, or one that must be of other classes too, as the library writes `[…&&…]`. */
function isOneOfAClass(node: PatternNode): boolean {
  const items = itemsOf(node);
  const last = items.at(-1);
  return (
    last?.kind === "character" &&
    items
      .slice(0, -1)
      .every((item) => item.kind === "look" && !item.isBehind && itemsOf(item.body).every(isCharacter))
  );
}

function isCharacter({ kind }: PatternNode): boolean {
  return kind === "character";
}

function bodyOf(node: PatternNode | undefined): PatternNode | undefined {
  return node?.kind === "repeat" ? node.body : undefined;
}

function sourceOf(node: PatternNode | undefined): string | undefined {
  return node === undefined || node.kind === "choice" || node.kind === "look" ? undefined : node.source;
}
