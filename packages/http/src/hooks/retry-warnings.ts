import { atMostEvery, type Clock, type Logger } from "@tinkex/base";
import { notify, type RetryEvent, type TransportHooks } from "./transport-hooks.js";

/** From this pause on the user hears of a repeat without asking for it, in milliseconds. */
const LONG_PAUSE_MS = 8_000;
/** In an outage every call has long pauses; one warning in this time tells the user enough, in milliseconds. */
const WARNING_INTERVAL_MS = 30_000;

/** Receivers of what there is to tell of repeats. */
export interface WarningParts {
  readonly baseUrl: string;
  readonly hooks: TransportHooks;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Tells the hooks and the log of every repeat; warnings are rate-limited. */
export class RetryWarnings {
  readonly #parts: WarningParts;
  readonly #mayWarn: () => boolean;

  constructor(parts: WarningParts) {
    this.#parts = parts;
    this.#mayWarn = atMostEvery(WARNING_INTERVAL_MS, parts.clock);
  }

  /** @param askedMs - the pause the service asked for, which may be longer, in milliseconds */
  tell(event: RetryEvent, askedMs: number | undefined): void {
    const { baseUrl, hooks, logger } = this.#parts;
    const { operation, attempts, outcome, delayMs } = event;
    notify(hooks, "onRetry", event);
    const cut =
      askedMs !== undefined && askedMs > delayMs ? ` (the server asked for ${seconds(askedMs)})` : "";
    const line = `${operation} at ${baseUrl}: ${outcome}; try ${attempts + 1} in ${seconds(delayMs)}${cut}`;
    if (delayMs >= LONG_PAUSE_MS && this.#mayWarn()) logger.warn(line);
    else logger.info(line);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
