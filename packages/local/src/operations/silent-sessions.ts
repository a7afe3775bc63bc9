import { OperationFailure } from "../errors/operation-failure.js";
import type { ServerState } from "../registries/server-state.js";

/** Clients send a heartbeat every ten seconds: after this time without one they are gone, or held by a debugger. */
const MAX_SILENCE_MS = 60_000;
const LOOK_INTERVAL_MS = 10_000;

/**
 * Ends the samples of clients that have fallen silent, which would keep others waiting, until `signal` aborts. Their sessions stay:
 * who comes back goes on, and what trained did so.
 */
export async function endSilentSamples(state: ServerState, signal: AbortSignal): Promise<void> {
  const { clock, sessions, futures, logger } = state;
  while (!signal.aborted) {
    await clock.sleep(LOOK_INTERVAL_MS, signal, { background: true }).catch(() => {});
    for (const { id, lastSignMs } of sessions.all()) {
      if (signal.aborted || clock.monotonic() - lastSignMs < MAX_SILENCE_MS) continue;
      const silence = `no heartbeat came for ${MAX_SILENCE_MS / 1000} s`;
      const ended = futures.cancelOwned(id, new OperationFailure(`${silence}: sample again`, "server"));
      if (ended > 0) logger.warn(`session ${id}: ${silence}; ${ended} samples of it are ended`);
    }
  }
}
