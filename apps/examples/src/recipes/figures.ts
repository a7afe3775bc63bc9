/** Distance of sampler and trainer that rounding explains. */
const MAX_KL = 1e-4;

/** Numbers that an example promises. One that is missed makes the program end with exit code 1. */
export class Figures {
  readonly #isLocal: boolean;
  readonly #isWhole: boolean;

  /**
   * @param options.isLocal - false on a service with models of its own, of which nothing is promised
   * @param options.isWhole - false where the example takes fewer steps than it needs for its figures
   */
  constructor({ isLocal, isWhole }: { readonly isLocal: boolean; readonly isWhole: boolean }) {
    this.#isLocal = isLocal;
    this.#isWhole = isWhole;
  }

  /** Prints a figure that must not be below a minimum. */
  atLeast(name: string, value: number, minimum: number): void {
    this.#print(name, value, `at least ${minimum}`, value >= minimum || !this.#isWhole);
  }

  /** Prints a figure that must be below a maximum. */
  below(name: string, value: number, maximum: number): void {
    this.#print(name, value, `below ${maximum}`, value < maximum || !this.#isWhole);
  }

  /**
   * Prints the distance between sampler and trainer before the first update. It must be small however few steps there are: both have the same
   * weights, so that a larger one means that they do not see the same tokens.
   *
   * @param kl - mean of sampled − trained log-probabilities; undefined, which counts as missed, where nothing was compared
   */
  agreement(kl: number | undefined, name = ""): void {
    const distance = Math.abs(kl ?? Number.NaN);
    const start = name === "" ? "" : `${name}: `;
    const title = `${start}sampler against trainer before the first update`;
    this.#print(title, distance, `below ${MAX_KL}`, distance < MAX_KL);
  }

  #print(name: string, value: number, bound: string, isReached: boolean): void {
    const isSmall = value !== 0 && Math.abs(value) < 1e-3;
    const number = isSmall ? value.toExponential(1) : value.toFixed(4);
    console.log(`${name}: ${number} (${bound})`);
    if (isReached || !this.#isLocal) return;
    console.error(`missed: ${name} must be ${bound}, got ${number}`);
    process.exitCode = 1;
  }
}

/** Mean of the first and of the last five numbers: a single step is noisy. */
export function firstAndLast(values: readonly number[]): readonly [first: number, last: number] {
  return [mean(values.slice(0, 5)), mean(values.slice(-5))];
}

/** Gives NaN for no numbers. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
