import { LAST_FLUSH_MS, type SessionTelemetry } from "./session-telemetry.js";

/** Sessions that are open, of all reporters of this thread. */
const OPEN = new Set<SessionTelemetry>();

/**
 * Has the last events of a session sent when the process ends by itself or by an error that nobody catches. No signal is handled, and
 * the end of the process stays as it is.
 */
export function flushAtExit(session: SessionTelemetry): void {
  if (OPEN.size === 0) {
    process.on("beforeExit", flushBeforeExit);
    process.on("uncaughtExceptionMonitor", reportUncaught);
  }
  OPEN.add(session);
}

/** Forgets a session that is closed. */
export function leaveExit(session: SessionTelemetry): void {
  OPEN.delete(session);
  if (OPEN.size > 0) return;
  process.off("beforeExit", flushBeforeExit);
  process.off("uncaughtExceptionMonitor", reportUncaught);
}

function flushBeforeExit(): void {
  for (const session of OPEN) void session.flushLast();
}

/** Of several clients nobody can tell whose error it is, and none hears of it; each still sends what it has. */
function reportUncaught(error: unknown): void {
  try {
    const clients = new Set(Array.from(OPEN, ({ clientId }) => clientId));
    const [first] = Array.from(OPEN).sort((a, b) => Number(b.hasSession) - Number(a.hasSession));
    if (clients.size === 1) first?.fatalException(error, "CRITICAL");
    // Whoever handles the error lets the process go on, and the events go their usual way.
    if (process.listenerCount("uncaughtException") > 0 || process.hasUncaughtExceptionCaptureCallback()) {
      void first?.flush();
      return;
    }
    const endMs = performance.now() + LAST_FLUSH_MS;
    for (const session of OPEN) session.flushNow(endMs - performance.now());
  } catch {
    // The program's error is the one to be seen.
  }
}
