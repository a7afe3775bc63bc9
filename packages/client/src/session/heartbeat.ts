import { ApiStatusError, type Clock, type HttpTransport, type Logger } from "@tinkex/base";

const EVERY_MS = 10_000;
const WARN_AFTER_MS = 120_000;
const WARN_EVERY_MS = 60_000;

/** What the heartbeat of one session needs. */
export interface HeartbeatOptions {
  readonly sessionId: string;
  readonly transport: HttpTransport;
  readonly clock: Clock;
  readonly logger: Logger;
  encodeBeat(sessionId: string): Uint8Array;
  /** Ends the beating. */
  readonly signal: AbortSignal;
}

/**
 * Tells the service every 10 s that the session is alive, until `signal` aborts or the service says the session has finished.
 * Failures are quiet for two minutes, then warned of once a minute. Never keeps the process alive.
 */
export async function beat(options: HeartbeatOptions): Promise<void> {
  const { sessionId, transport, clock, logger, signal } = options;
  let lastSuccessMs = clock.monotonic();
  let lastWarningMs = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    try {
      await clock.sleep(EVERY_MS, signal, { background: true });
      await transport.call({ operation: "session_heartbeat", body: options.encodeBeat(sessionId), signal });
      lastSuccessMs = clock.monotonic();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiStatusError && error.status === 410) {
        logger.info(`session ${sessionId} has finished; its heartbeat stops`);
        return;
      }
      const nowMs = clock.monotonic();
      const silentMs = nowMs - lastSuccessMs;
      if (silentMs <= WARN_AFTER_MS || nowMs - lastWarningMs < WARN_EVERY_MS) continue;
      lastWarningMs = nowMs;
      logger.warn(silenceWarning(sessionId, silentMs, error));
    }
  }
}

function silenceWarning(sessionId: string, silentMs: number, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return (
    `no heartbeat of session ${sessionId} has arrived for ${Math.round(silentMs / 1000)} s: the connection is unreliable or ` +
    `the service is down, and the session will be ended if this goes on (${reason})`
  );
}
