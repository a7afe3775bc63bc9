import type { CallScope } from "./call-scope.js";

/** Lets so many in at a time; the others wait in the order they came. */
export class FifoLimit {
  readonly #most: number;
  #inside = 0;
  /** A set keeps its order and lets go of a waiter in the middle at once. */
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs `work` once there is room. A call that ends while it waits leaves the line. */
  async run<T>(scope: CallScope, work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#most || this.#waiting.size > 0) await this.#turn(scope);
    else this.#inside += 1;
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** If the call ends just when its turn comes, the work it then starts rejects at once and the place is passed on. */
  #turn(scope: CallScope): Promise<void> {
    return scope.during(({ resolve }) => {
      const enter = (): void => resolve();
      this.#waiting.add(enter);
      return () => void this.#waiting.delete(enter);
    });
  }

  /** Hands the place to the next in line, who counts as inside from then on. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#inside -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
