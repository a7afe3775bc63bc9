import { widthAt } from "../text/code-points.js";
import type { TextRange } from "../text/text-range.js";
import type { PatternProgram, PatternStep } from "./compile-pattern.js";
import { PlaceSet } from "./place-set.js";

/**
 * Finds all matches of a pattern as JavaScript's `matchAll` does, in time and memory that grow with the text times the
 * pattern: it tries one way after another as other matchers do, and remembers at which places a step leads nowhere, so
 * that none is tried twice.
 */
export function* linearMatches(program: PatternProgram, text: string): Generator<TextRange> {
  const search = new Search(program, text, false);
  for (let start = 0; start <= text.length; ) {
    const end = search.run(start);
    if (end === undefined) {
      start += widthAt(text, start);
      continue;
    }
    yield { start, end };
    start = end > start ? end : start + widthAt(text, start);
    search.forgetBefore(start);
  }
}

class Search {
  readonly #program: PatternProgram;
  readonly #text: string;
  /** Says whether it matters only that there is a match: then steps that lead to one are remembered too. */
  readonly #isLook: boolean;
  readonly #leadsNowhere: PlaceSet;
  readonly #leadsToMatch: PlaceSet;
  readonly #looks = new Map<PatternStep, Search>();

  constructor(program: PatternProgram, text: string, isLook: boolean) {
    this.#program = program;
    this.#text = text;
    this.#isLook = isLook;
    this.#leadsNowhere = new PlaceSet(program.secondWays.length);
    this.#leadsToMatch = new PlaceSet(program.secondWays.length);
  }

  forgetBefore(place: number): void {
    this.#leadsNowhere.forgetBefore(place);
    this.#leadsToMatch.forgetBefore(place);
    // A look behind stands one character before.
    for (const look of this.#looks.values()) look.forgetBefore(place - 2);
  }

  /** The end of the match that begins at a place; in a look, of any. */
  run(from: number): number | undefined {
    const { steps } = this.#program;
    // The splits passed on the way here, their places, and whether each goes its second way by now.
    const passed: number[] = [];
    const places: number[] = [];
    const isSecond: boolean[] = [];
    let step = steps[this.#program.start];
    let place = from;
    for (;;) {
      let next: number | undefined;
      switch (step?.kind) {
        case undefined:
          return undefined;
        case "accept":
          this.#rememberMatch(passed, places);
          return place;
        case "character": {
          const codePoint = this.#text.codePointAt(place);
          if (codePoint !== undefined && step.matches(codePoint)) {
            next = step.next;
            place += codePoint > 0xffff ? 2 : 1;
          }
          break;
        }
        case "look":
          if (this.#look(step, place) !== step.isNegative) next = step.next;
          break;
        case "split":
          if (this.#leadsNowhere.has(place, step.index)) break;
          if (this.#isLook && this.#leadsToMatch.has(place, step.index)) {
            this.#rememberMatch(passed, places);
            return place;
          }
          passed.push(step.index);
          places.push(place);
          isSecond.push(false);
          next = step.first;
      }
      while (next === undefined) {
        const index = passed.at(-1);
        if (index === undefined) return undefined;
        place = places.at(-1) ?? from;
        if (isSecond.at(-1) === true) {
          this.#leadsNowhere.add(place, index);
          passed.pop();
          places.pop();
          isSecond.pop();
        } else {
          isSecond[isSecond.length - 1] = true;
          next = this.#program.secondWays[index];
        }
      }
      step = steps[next];
    }
  }

  #rememberMatch(passed: readonly number[], places: readonly number[]): void {
    if (!this.#isLook) return;
    for (const [at, index] of passed.entries()) this.#leadsToMatch.add(places[at] ?? 0, index);
  }

  #look(step: PatternStep & { kind: "look" }, place: number): boolean {
    let look = this.#looks.get(step);
    if (look === undefined) {
      look = new Search(step.program, this.#text, true);
      this.#looks.set(step, look);
    }
    if (!step.isBehind) return look.run(place) !== undefined;
    // It looks at one character.
    return place > 0 && look.run(place - widthBefore(this.#text, place)) !== undefined;
  }
}

function widthBefore(text: string, place: number): number {
  return place > 1 && (text.codePointAt(place - 2) ?? 0) > 0xffff ? 2 : 1;
}
