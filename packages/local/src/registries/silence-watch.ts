import type { Clock, Logger } from "@tinkex/base";
import { OperationFailure } from "../errors/operation-failure.js";
import type { FutureStore } from "./future-store.js";
import { MAX_SILENCE_MS, type SessionRegistry } from "./session-registry.js";

const LOOK_INTERVAL_MS = 10_000;

export interface SilenceWatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sessions: Pick<SessionRegistry, "all" | "isSilent">;
  readonly futures: Pick<FutureStore<unknown>, "pendingOwners" | "cancelOwned">;
}

/**
 * Ends the samples of clients that have fallen silent, which would keep others waiting. Their sessions stay: who comes back goes on,
 * and what trained did so.
 */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  readonly #closed = new AbortController();
  #isRunning = false;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
  }

  /** Looks from now on, until no sample is under way. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  close(): void {
    this.#closed.abort();
  }

  async #run(): Promise<void> {
    const { clock, futures } = this.#options;
    const { signal } = this.#closed;
    for (;;) {
      await clock.sleep(LOOK_INTERVAL_MS, signal, { background: true }).catch(() => {});
      const owners = futures.pendingOwners();
      if (signal.aborted || owners.size === 0) break;
      this.#endSilent(owners);
    }
    this.#isRunning = false;
  }

  #endSilent(owners: ReadonlySet<string>): void {
    const { logger, sessions, futures } = this.#options;
    for (const session of sessions.all()) {
      const { id } = session;
      if (!owners.has(id) || !sessions.isSilent(session)) continue;
      const silence = `no heartbeat came for ${MAX_SILENCE_MS / 1000} s`;
      const ended = futures.cancelOwned(id, new OperationFailure(`${silence}: sample again`, "server"));
      logger.warn(`session ${id}: ${silence}; ${ended} samples of it are ended`);
    }
  }
}
