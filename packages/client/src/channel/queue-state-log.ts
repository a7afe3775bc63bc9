import { atMostEvery, type Clock, type Logger } from "@tinkex/base";
import type { QueueStateEvent } from "../future/operation-context.js";

/** The subject whose pauses are logged, and how patiently. */
export interface QueueStateLogOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** E.g. `Training for S:train:0`. */
  readonly subject: string;
  /** The same pause must have lasted this long before the first line, in milliseconds. */
  readonly patienceMs: number;
  /** Our words for a rate limit when the service gives none. */
  readonly rateLimitReason: string;
}

const LOG_EVERY_MS = 60_000;

/** Logs that the service has paused work: one line a minute at most. */
export class QueueStateLog {
  readonly #options: QueueStateLogOptions;
  #state = "active";
  #sinceMs = 0;
  readonly #isLineDue: () => boolean;

  constructor(options: QueueStateLogOptions) {
    this.#options = options;
    this.#isLineDue = atMostEvery(LOG_EVERY_MS, options.clock);
  }

  note({ state, reason }: Pick<QueueStateEvent, "state" | "reason">): void {
    const { clock, logger, subject, patienceMs } = this.#options;
    const nowMs = clock.monotonic();
    if (state !== this.#state) {
      this.#state = state;
      this.#sinceMs = nowMs;
    }
    if (state === "active" || nowMs - this.#sinceMs < patienceMs || !this.#isLineDue()) return;
    logger.warn(`${subject} is paused. Reason: ${reason || this.#ownReason(state)}.`);
  }

  #ownReason(state: string): string {
    if (state === "paused_rate_limit") return this.#options.rateLimitReason;
    return state === "paused_capacity" ? "the service is short of capacity, please wait" : "unknown";
  }
}

const TRAINING_PATIENCE_MS = 900_000;

/** For a training client or the making of one: pauses of a quarter of an hour are usual there. */
export function trainingPauseLog(
  subject: string,
  time: Pick<QueueStateLogOptions, "clock" | "logger">,
): QueueStateLog {
  return new QueueStateLog({
    ...time,
    subject,
    patienceMs: TRAINING_PATIENCE_MS,
    rateLimitReason: "the limit of concurrent training clients is reached",
  });
}

/** For a sampling client: its pauses are told at once. */
export function samplingPauseLog(
  samplingSessionId: string,
  time: Pick<QueueStateLogOptions, "clock" | "logger">,
): QueueStateLog {
  return new QueueStateLog({
    ...time,
    subject: `Sampling for ${samplingSessionId}`,
    patienceMs: 0,
    rateLimitReason: "the limit of concurrent sampler weights is reached",
  });
}
