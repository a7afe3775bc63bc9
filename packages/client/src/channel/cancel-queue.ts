import { atMostEvery, type Deferred, deferred, errorMessage } from "@tinkex/base";
import type { Session } from "../session/session.js";

/** One request to be cancelled, and who wants to know whether the service was told. */
interface Cancellation {
  readonly requestId: string;
  readonly told: Deferred<boolean>;
}

/** Longest time that closing waits for the service to be told, in milliseconds. */
const MAX_FLUSH_MS = 5_000;
/** Least time between two lines about cancellations that failed: thousands may fail in one moment. */
const LOG_EVERY_MS = 60_000;

/**
 * Tells the service of samples that were given up, where it wants to hear of them: in batches, as thousands may be given up in
 * one moment.
 */
export class CancelQueue {
  readonly #session: Session;
  #waiting: Cancellation[] = [];
  #draining: Promise<void> | undefined;
  /** Ends the telling once closing has waited for it long enough. */
  readonly #stop = new AbortController();
  readonly #isLineDue: () => boolean;
  /** Requests that the service was not told of, and no line says so. */
  #untold = 0;

  constructor(session: Session) {
    this.#session = session;
    this.#isLineDue = atMostEvery(LOG_EVERY_MS, session.environment.clock);
  }

  /** Resolves with whether the service was told. Never rejects: the caller has given the work up already. */
  cancel(requestId: string): Promise<boolean> {
    // May change while the client runs.
    if (!this.#session.server.dynamic.sample_cancel_enabled) return Promise.resolve(false);
    const told = deferred<boolean>();
    this.#waiting.push({ requestId, told });
    this.#draining ??= this.#drain();
    return told.promise;
  }

  /** Waits until the service was told of what has been given up, for some seconds at most. Never rejects. */
  async flush(): Promise<void> {
    if (this.#draining === undefined) return;
    const { clock } = this.#session.environment;
    const over = new AbortController();
    const limit = clock.sleep(MAX_FLUSH_MS, over.signal, { background: true }).catch(() => {});
    await Promise.race([this.#draining, limit]);
    over.abort();
    this.#stop.abort();
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const most = Math.max(1, this.#session.server.dynamic.sample_cancel_max_batch_size);
      await Promise.all(this.#waiting.splice(0, most).map((one) => this.#send(one)));
    }
    this.#draining = undefined;
  }

  async #send({ requestId, told }: Cancellation): Promise<void> {
    const { signal } = this.#stop;
    try {
      await this.#session.unpaused.call("cancel_future", { request_id: requestId }, { signal });
      told.resolve(true);
    } catch (error) {
      told.resolve(false);
      if (!signal.aborted) this.#logFailure(requestId, error);
    }
  }

  #logFailure(requestId: string, error: unknown): void {
    if (!this.#isLineDue()) {
      this.#untold += 1;
      return;
    }
    const others = this.#untold === 0 ? "" : `, nor were ${this.#untold} before it`;
    this.#untold = 0;
    this.#session.environment.logger.error(
      `the service was not told that request ${requestId} is given up${others}: ${errorMessage(error)}`,
    );
  }
}
