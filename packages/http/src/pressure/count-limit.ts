import { type Release, releaseOnce } from "./release.js";
import { WaitingLine } from "./waiting-line.js";

/** Bounds how many may be inside at one time; the others wait in order. */
export class CountLimit {
  readonly #line = new WaitingLine<undefined, Release>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** @throws the reason of `signal` when it aborts first */
  acquire(signal: AbortSignal): Promise<Release> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#free === 0) return this.#line.wait(undefined, signal);
    this.#free -= 1;
    return Promise.resolve(this.#ticket());
  }

  /** A place that goes to the next in line when it is given back. */
  #ticket(): Release {
    return releaseOnce(() => {
      const next = this.#line.next();
      if (next === undefined) this.#free += 1;
      else next.admit(this.#ticket());
    });
  }
}
