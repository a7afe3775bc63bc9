import { TemplateError } from "./template-error.js";

/** Bounds what any template may do, and what more for each unit of its source and of the values given. */
const FREE_STEPS = 1_000_000;
const STEPS_PER_UNIT = 64;
const FREE_BYTES = 24 * 1024 * 1024;
const BYTES_PER_UNIT = 16;
/** A step looks at so many characters of a text. */
const CHARACTERS_PER_STEP = 4;

/**
 * Counts what a template does, so that one that would run for ever or fill the memory ends with an error. Counted are
 * steps and what is made, not time: the same conversation always renders, or never.
 */
export class WorkBudget {
  readonly #maxSteps: number;
  readonly #maxBytes: number;
  #steps = 0;
  #bytes = 0;

  /** @param units - the characters of the source and of the values, and the number of values */
  constructor(units: number) {
    this.#maxSteps = FREE_STEPS + STEPS_PER_UNIT * units;
    this.#maxBytes = FREE_BYTES + BYTES_PER_UNIT * units;
  }

  /**
   * Counts steps.
   *
   * @param construct - the construct that takes them, e.g. `for`, for the message
   */
  spend(steps: number, construct: string): void {
    this.#steps += steps;
    if (this.#steps > this.#maxSteps) {
      throw new TemplateError(
        `${construct} takes too many steps: a template may take ${this.#maxSteps} with these messages`,
      );
    }
  }

  /** Counts a look through a text. */
  scan(text: string, construct: string): void {
    this.spend(1 + text.length / CHARACTERS_PER_STEP, construct);
  }

  /**
   * Counts memory before it is taken.
   *
   * @param construct - the construct that takes it, e.g. `join`, for the message
   */
  allocate(bytes: number, construct: string): void {
    this.#bytes += bytes;
    if (!(this.#bytes <= this.#maxBytes)) {
      throw new TemplateError(
        `${construct} makes too much: a template may make ${this.#maxBytes} bytes of texts and lists with these messages`,
      );
    }
  }
}
