import type { Clock, Logger } from "@tinkex/base";

/** An operation without a result, as the log of slow ones describes it. */
export interface OperationUnderWay {
  /** By the monotonic clock. */
  readonly startedAtMs: number;
  /** Gives its name, its request and its state in the service's queue. */
  describe(afterS: number): string;
}

const MINUTE_MS = 60_000;

/**
 * Logs operations that take longer than a minute: one line for each minute of one operation, and none of another within a minute
 * of it. Thousands that wait together thus write one line a minute.
 */
export class SlowOperationLog {
  readonly #ports: { readonly clock: Clock; readonly logger: Logger };
  #last:
    | { readonly operation: OperationUnderWay; readonly minutes: number; readonly atMs: number }
    | undefined;

  constructor(ports: { readonly clock: Clock; readonly logger: Logger }) {
    this.#ports = ports;
  }

  /** Notes that the service was asked for the operation's result and has none yet. */
  note(operation: OperationUnderWay): void {
    const atMs = this.#ports.clock.monotonic();
    const afterMs = atMs - operation.startedAtMs;
    const minutes = Math.floor(afterMs / MINUTE_MS);
    if (minutes < 1) return;
    const last = this.#last;
    if (last !== undefined) {
      const isTold = last.operation === operation ? minutes <= last.minutes : atMs - last.atMs < MINUTE_MS;
      if (isTold) return;
    }
    this.#last = { operation, minutes, atMs };
    this.#ports.logger.info(operation.describe(Math.floor(afterMs / 1000)));
  }
}
