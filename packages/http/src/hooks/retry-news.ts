import type { Clock, Logger } from "@tinkex/base";
import type { Retry } from "../retry/run-with-retries.js";
import { notify, type TransportHooks } from "./transport-hooks.js";

/** From this pause on the user hears of a repeat without asking for it, in milliseconds. */
const LONG_PAUSE_MS = 8_000;
/** Least time between two such warnings, in milliseconds. */
const WARNING_INTERVAL_MS = 30_000;

/** Tells the hooks and the log of every repeat. */
export class RetryNews {
  readonly #parts: {
    readonly baseUrl: string;
    readonly hooks: TransportHooks;
    readonly logger: Logger;
    readonly clock: Clock;
  };
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: {
    readonly baseUrl: string;
    readonly hooks: TransportHooks;
    readonly logger: Logger;
    readonly clock: Clock;
  }) {
    this.#parts = parts;
  }

  /** @param what - how the failed try ended, in a few words */
  tell(operation: string, what: string, { attempts, delayMs, askedMs }: Retry): void {
    const { baseUrl, hooks, logger, clock } = this.#parts;
    notify(hooks, "onRetry", { operation, attempts, outcome: what, delayMs });
    const cut =
      askedMs !== undefined && askedMs > delayMs ? ` (the server asked for ${seconds(askedMs)})` : "";
    const line = `${operation} at ${baseUrl}: ${what}; try ${attempts + 1} in ${seconds(delayMs)}${cut}`;
    // In an outage every call has long pauses; one of them tells the user enough.
    const now = clock.monotonic();
    if (delayMs >= LONG_PAUSE_MS && now - this.#warnedAt >= WARNING_INTERVAL_MS) {
      this.#warnedAt = now;
      logger.warn(line);
    } else {
      logger.info(line);
    }
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
