import { errorMessage, type Logger, startTimer } from "@tinkex/base";

/** Failures that come within this time share a line, in milliseconds: a queue of operations most often fails as a whole. */
const GATHER_MS = 100;

/** An operation that failed before anybody waited for it. */
interface UnawaitedFailure {
  readonly name: string;
  readonly error: unknown;
  /** Tells whether somebody waits for it by now. */
  readonly isAwaited: () => boolean;
}

/** Tells of operations that fail while nobody waits for them, in one line for those that fail together. */
export class UnawaitedFailures {
  readonly #logger: Logger;
  #gathered: UnawaitedFailure[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  note(failure: UnawaitedFailure): void {
    this.#gathered.push(failure);
    // Keeps the process alive for as long: a program that ends by itself must still say what went wrong.
    if (this.#gathered.length === 1) startTimer(GATHER_MS, () => this.#tell());
  }

  #tell(): void {
    const unseen = this.#gathered.filter(({ isAwaited }) => !isAwaited());
    this.#gathered = [];
    const [first] = unseen;
    if (first === undefined) return;
    const message = errorMessage(first.error);
    this.#logger.warn(
      unseen.length === 1
        ? `${first.name} failed and nobody is waiting for it yet: ${message}`
        : `${unseen.length} operations failed and nobody is waiting for them yet, the first of them ${first.name}: ${message}`,
    );
  }
}
