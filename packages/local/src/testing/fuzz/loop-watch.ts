const INTERVAL_MS = 20;

/**
 * Measures how long the event loop stands still. A stop counts for no more than the processor time that this process took
 * during it: what other processes of a busy machine hold up is not ours.
 */
export class LoopWatch {
  #worstMs = 0;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    let lastAt = performance.now();
    let lastCpu = process.cpuUsage();
    this.#timer = setInterval(() => {
      const { user, system } = process.cpuUsage(lastCpu);
      const stoodMs = performance.now() - lastAt - INTERVAL_MS;
      this.#worstMs = Math.max(this.#worstMs, Math.min(stoodMs, (user + system) / 1000));
      lastAt = performance.now();
      lastCpu = process.cpuUsage();
    }, INTERVAL_MS);
  }

  /** Ends the watch. @returns the longest stop, in milliseconds */
  stop(): number {
    clearInterval(this.#timer);
    return this.#worstMs;
  }
}
