import {
  atMostEvery,
  BACKOFFS,
  BackoffCounter,
  type Clock,
  ConnectionError,
  describeKind,
  errorMessage,
  type Logger,
  RequestFailedError,
  TimeoutError,
  TinkexError,
  ValidationError,
} from "@tinkex/base";
import { isLostSession, SessionLostError } from "../session/session-lost-error.js";
import { SequenceBrokenError } from "../training/sequence-broken-error.js";

/** The place to go on from: a checkpoint's path, or the error of a client that cannot go on, which names its last one. */
export type ResumePoint = string | SessionLostError | SequenceBrokenError;

/** Reads the path of the checkpoint to go on from. @throws ValidationError when there is none */
export function resumePathOf(from: ResumePoint): string {
  if (typeof from === "string") return from;
  if (!(from instanceof SessionLostError || from instanceof SequenceBrokenError)) {
    throw new ValidationError(
      `resumeFrom: path must be a string or the error that names the last checkpoint, got ${describeKind(from)}`,
      { path: ["path"] },
    );
  }
  if (from.lastCheckpoint !== undefined) return from.lastCheckpoint;
  throw new ValidationError(
    "resumeFrom: the client had neither saved nor loaded a checkpoint, so there is none to go on from; make a new model",
    { path: ["path"], cause: from },
  );
}

/** The ports and limits that {@link untilServiceIsBack} works with. */
export interface Recovery {
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Milliseconds after which the last failure counts. */
  readonly patienceMs: number;
}

const LOG_EVERY_MS = 60_000;

/**
 * Makes something on a service that may be restarting: again and again while it cannot be reached, or forgets what it has just accepted.
 *
 * @throws the last failure, once the patience is over, or at once when another attempt could not help
 */
export async function untilServiceIsBack<T>(
  { clock, random, logger, signal, patienceMs }: Recovery,
  attempt: () => Promise<T>,
): Promise<T> {
  const pause = new BackoffCounter(BACKOFFS.patient, random);
  const isLineDue = atMostEvery(LOG_EVERY_MS, clock);
  const startedAtMs = clock.monotonic();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || !isAway(error)) throw error;
      const waitMs = pause.nextMs();
      if (clock.monotonic() - startedAtMs + waitMs > patienceMs) throw error;
      if (isLineDue()) {
        logger.warn(
          `resumeFrom: the service is away, trying again in ${(waitMs / 1000).toFixed(1)} s: ${errorMessage(error)}`,
        );
      }
      await clock.sleep(waitMs, signal);
    }
  }
}

/** Tells whether a failure is of a service that is down, is being restarted, or has forgotten work it had accepted. */
function isAway(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  if (error instanceof SequenceBrokenError) return isAway(error.cause);
  if (error instanceof RequestFailedError) return error.category === "server";
  // A restarted service does not know the session, nor the result of its work. A checkpoint that is not there stays away.
  if (error instanceof SessionLostError || isLostSession(error, ["session", "future", "request"]))
    return true;
  return error instanceof TinkexError && error.retryable;
}
