import { isEqual } from "../operations/operators.js";
import type { Run } from "../values/run.js";
import { TemplateError } from "../values/template-error.js";
import { type CallArguments, Callable, Loop, NONE, Tuple, Undefined, type Value } from "../values/values.js";

/** The items of a loop, of which the next one may be looked at. */
export class LoopItems {
  readonly #iterator: Iterator<Value>;
  readonly #knownLength: number | undefined;
  #ahead: Value[] = [];
  #isAtEnd = false;
  #previous: Value | undefined;
  #current: Value | undefined;
  #changed: Value | undefined;
  /** Counted from 0; less before the first item. */
  index0 = -1;

  constructor(items: Iterable<Value>, knownLength: number | undefined) {
    this.#iterator = items[Symbol.iterator]();
    this.#knownLength = knownLength;
  }

  next(): Value | undefined {
    const value = this.#peek();
    if (value === undefined) return undefined;
    this.#ahead.shift();
    this.index0 += 1;
    this.#previous = this.#current;
    this.#current = value;
    return value;
  }

  #peek(): Value | undefined {
    if (this.#ahead.length === 0 && !this.#isAtEnd) this.#pull();
    return this.#ahead[0];
  }

  #pull(): void {
    const next = this.#iterator.next();
    if (next.done === true) this.#isAtEnd = true;
    else this.#ahead.push(next.value);
  }

  get #length(): number {
    if (this.#knownLength !== undefined) return this.#knownLength;
    while (!this.#isAtEnd) this.#pull();
    return this.index0 + 1 + this.#ahead.length;
  }

  /**
   * The variable `loop`.
   *
   * @param recurse - runs the loop on the items of an item
   * @param depth0 - number of loops around that one
   */
  variable(recurse: ((given: CallArguments) => Value) | undefined, depth0: number, run: Run): Loop {
    const attribute = (name: string): Value | undefined => {
      switch (name) {
        case "index0":
          return this.index0;
        case "index":
          return this.index0 + 1;
        case "first":
          return this.index0 === 0;
        case "last":
          return this.#peek() === undefined;
        case "length":
          return this.#length;
        case "revindex":
          return this.#length - this.index0;
        case "revindex0":
          return this.#length - this.index0 - 1;
        case "depth":
          return depth0 + 1;
        case "depth0":
          return depth0;
        case "previtem":
          return this.index0 === 0
            ? new Undefined("there is no previous item")
            : (this.#previous ?? new Undefined("there is no previous item"));
        case "nextitem":
          return this.#peek() ?? new Undefined("there is no next item");
        case "cycle":
          return new Callable("cycle", ({ positional }) => {
            if (positional.length === 0) throw new TemplateError("'cycle' needs values");
            return positional[this.index0 % positional.length] ?? NONE;
          });
        case "changed":
          return new Callable("changed", ({ positional }) => {
            const value = new Tuple(positional);
            const isChanged = this.#changed === undefined || !isEqual(this.#changed, value, run);
            if (isChanged) this.#changed = value;
            return isChanged;
          });
        default:
          return undefined;
      }
    };
    return new Loop(
      attribute,
      recurse ??
        (() => {
          throw new TemplateError("a loop must be marked 'recursive' to be called");
        }),
    );
  }
}
