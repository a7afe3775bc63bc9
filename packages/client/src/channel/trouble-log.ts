import type { Clock, Logger } from "@tinkex/base";

const LOG_EVERY_MS = 60_000;

/**
 * Tells that waiting for results is troubled, one line a minute however many wait: a job that goes on by itself once the network is
 * back must not look frozen until then.
 */
export class TroubleLog {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  note(message: string): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#loggedMs < LOG_EVERY_MS) return;
    this.#loggedMs = nowMs;
    this.#logger.warn(message);
  }
}
