import { atMostEvery, type Clock, type Logger } from "@tinkex/base";
import { notify, type RetryEvent, type TransportHooks } from "./transport-hooks.js";

/** From this pause on the user hears of a repeat without asking for it, in milliseconds. */
const LONG_PAUSE_MS = 8_000;
/** In an outage every call has long pauses; one warning in this time tells the user enough, in milliseconds. */
const WARNING_INTERVAL_MS = 30_000;
/** Repeats of one operation that do not deserve a warning are told at info once in this time, and else at debug, in milliseconds. */
const INFO_INTERVAL_MS = 60_000;

/** Receivers of what there is to tell of repeats. */
export interface WarningParts {
  readonly baseUrl: string;
  readonly hooks: TransportHooks;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Tells the hooks and the log of every repeat; lines above debug are rate-limited, so that an outage fills no disk. */
export class RetryWarnings {
  readonly #parts: WarningParts;
  readonly #mayWarn: () => boolean;
  /** One a row of the table of operations. */
  readonly #mayInform = new Map<string, () => boolean>();

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
    else if (this.#mayInformOf(operation)) logger.info(line);
    else logger.debug(line);
  }

  #mayInformOf(operation: string): boolean {
    let mayInform = this.#mayInform.get(operation);
    if (mayInform === undefined) {
      mayInform = atMostEvery(INFO_INTERVAL_MS, this.#parts.clock);
      this.#mayInform.set(operation, mayInform);
    }
    return mayInform();
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
