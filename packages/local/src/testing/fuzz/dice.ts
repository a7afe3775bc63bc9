import { randomStream } from "../../random/random-stream.js";

/** Chance that repeats itself: the same seed and name give the same throws. */
export class Dice {
  readonly #random: () => number;

  constructor(seed: number, name: string) {
    this.#random = randomStream(seed, name);
  }

  /** A whole number from 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  hits(probability: number): boolean {
    return this.#random() < probability;
  }

  of<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.below(choices.length)] ?? choices[0];
  }
}
