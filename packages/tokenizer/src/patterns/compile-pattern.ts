import { type CharacterTest, characterTest } from "./character-test.js";
import { type PatternNode, refusedPattern } from "./pattern-syntax.js";

/** One step of a compiled pattern; steps name each other by their index. */
export type PatternStep =
  | { readonly kind: "accept" }
  | { readonly kind: "character"; readonly matches: CharacterTest; readonly next: number }
  /** Goes on with `first`, and where that leads to no match with `secondWays[index]`. */
  | { readonly kind: "split"; readonly first: number; readonly index: number }
  | {
      readonly kind: "look";
      readonly program: PatternProgram;
      readonly isBehind: boolean;
      readonly isNegative: boolean;
      readonly next: number;
    };

/** A pattern as steps, of which `start` is the first. */
export interface PatternProgram {
  readonly steps: readonly PatternStep[];
  readonly start: number;
  /** The second way of each split, by its index. */
  readonly secondWays: readonly number[];
}

/** Bounds what is done and remembered at each place of a text; the longest patterns known take some 150 steps. */
const MAX_STEPS = 256;

/** @throws ValidationError when the pattern is too large, or repeats what may be empty. */
export function compilePattern(node: PatternNode, source: string): PatternProgram {
  const budget = { left: MAX_STEPS };
  const tests = new Map<string, CharacterTest>();

  function compile(root: PatternNode): PatternProgram {
    const steps: PatternStep[] = [{ kind: "accept" }];
    const secondWays: number[] = [];

    const add = (step: PatternStep): number => {
      budget.left -= 1;
      if (budget.left < 0) throw refusedPattern(source, `it takes more than ${MAX_STEPS} steps`);
      return steps.push(step) - 1;
    };
    const split = (first: number, second: number) =>
      add({ kind: "split", first, index: secondWays.push(second) - 1 });

    /** Adds the steps of a node before the step `next`, from the last to the first. */
    function emit(part: PatternNode, next: number): number {
      switch (part.kind) {
        case "character": {
          const matches = tests.get(part.source) ?? characterTest(part.source);
          tests.set(part.source, matches);
          return add({ kind: "character", matches, next });
        }
        case "sequence":
          return part.items.reduceRight((after, item) => emit(item, after), next);
        case "choice":
          return part.branches
            .map((branch) => emit(branch, next))
            .reduceRight((others, branch) => split(branch, others));
        case "look": {
          const { isBehind, isNegative } = part;
          return add({ kind: "look", program: compile(part.body), isBehind, isNegative, next });
        }
        case "repeat":
          return emitRepeat(part, next);
      }
    }

    function emitRepeat({ body, min, max, isLazy }: PatternNode & { kind: "repeat" }, next: number): number {
      const optional = (taken: number, skipped: number) =>
        isLazy ? split(skipped, taken) : split(taken, skipped);
      let at = next;
      if (max === Number.POSITIVE_INFINITY) {
        if (mayBeEmpty(body)) throw refusedPattern(source, "it repeats what may be empty");
        // The loop leads to its body and the body back to it, so its place is known before what it leads to.
        const index = secondWays.push(next) - 1;
        at = add({ kind: "accept" });
        const taken = emit(body, at);
        if (isLazy) secondWays[index] = taken;
        steps[at] = { kind: "split", first: isLazy ? next : taken, index };
      } else {
        for (let count = min; count < max; count += 1) at = optional(emit(body, at), next);
      }
      for (let count = 0; count < min; count += 1) at = emit(body, at);
      return at;
    }

    const start = emit(root, 0);
    return { steps, start, secondWays };
  }

  return compile(node);
}

/** Says whether a pattern may match without taking a character. */
export function mayBeEmpty(node: PatternNode): boolean {
  switch (node.kind) {
    case "character":
      return false;
    case "look":
      return true;
    case "sequence":
      return node.items.every(mayBeEmpty);
    case "choice":
      return node.branches.some(mayBeEmpty);
    case "repeat":
      return node.min === 0 || mayBeEmpty(node.body);
  }
}
