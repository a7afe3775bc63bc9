import { ApiStatusError, atMostEvery, type Clock, errorMessage, type Logger } from "@tinkex/base";
import type { ApiCalls } from "./api-calls.js";
import { isLostSession } from "./session-lost-error.js";

const INTERVAL_MS = 10_000;
const WARN_AFTER_MS = 120_000;
const WARN_EVERY_MS = 60_000;

/** The parts of the heartbeat of one session. */
export interface HeartbeatOptions {
  readonly sessionId: string;
  readonly calls: ApiCalls;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends the heartbeat. */
  readonly signal: AbortSignal;
  /** Told when the service no longer knows the session. */
  onLost(cause: ApiStatusError): void;
}

/**
 * Tells the service every 10 s that the session is alive, until `signal` aborts or the service says the session has finished.
 * Failures are quiet for two minutes, then warned of once a minute. Never keeps the process alive.
 */
export async function beat({
  sessionId,
  calls,
  clock,
  logger,
  signal,
  onLost,
}: HeartbeatOptions): Promise<void> {
  const isWarningDue = atMostEvery(WARN_EVERY_MS, clock);
  let lastSuccessMs = clock.monotonic();
  while (!signal.aborted) {
    try {
      await clock.sleep(INTERVAL_MS, signal, { background: true });
      await sendHeartbeat(calls, sessionId, signal);
      lastSuccessMs = clock.monotonic();
    } catch (error) {
      if (signal.aborted) return;
      if (saysLost(error)) {
        if (error.status === 410) logger.info(`session ${sessionId} has finished; its heartbeat stops`);
        else
          logger.warn(
            `the service no longer knows session ${sessionId}; its heartbeat stops (${error.message})`,
          );
        return onLost(error);
      }
      const silentMs = clock.monotonic() - lastSuccessMs;
      if (silentMs > WARN_AFTER_MS && isWarningDue()) {
        logger.warn(
          `no heartbeat of session ${sessionId} has arrived for ${Math.round(silentMs / 1000)} s: the connection is ` +
            `unreliable or the service is down, and the session will be ended if this goes on (${errorMessage(error)})`,
        );
      }
    }
  }
}

/** Tells the service once that the session is alive. */
export async function sendHeartbeat(calls: ApiCalls, sessionId: string, signal: AbortSignal): Promise<void> {
  const body = calls.encode("session_heartbeat", { session_id: sessionId });
  await calls.post("session_heartbeat", body, { signal });
}

/** Tells whether the failure of a heartbeat says that the session has finished, or that the service does not know it. */
export function saysLost(error: unknown): error is ApiStatusError {
  return (error instanceof ApiStatusError && error.status === 410) || isLostSession(error);
}
