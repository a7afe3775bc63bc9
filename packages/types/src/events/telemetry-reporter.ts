import type { Clock, Logger } from "@tinkex/base";
import type { TelemetrySendRequest } from "../records/account/telemetry-events.js";

/** A service client's session, as a reporter of telemetry sees it. */
export interface ReportedSession {
  /** Id of the service client, the same for all its sessions. */
  readonly clientId: string;
  /** `undefined` for a client that makes calls without a session. */
  readonly sessionId: string | undefined;
  /** Version of the official SDK that the client behaves like. */
  readonly sdkVersion: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Sends a batch through the client's own connections and repeats. Rejects when the service does not take it. */
  send(batch: TelemetrySendRequest, signal: AbortSignal): Promise<void>;
  /**
   * Sends a batch while the thread waits, for a process that is about to end with an error. Tells whether it was sent; absent where
   * the client cannot.
   */
  readonly sendNow?: ((batch: TelemetrySendRequest, limitMs: number) => boolean) | undefined;
}

/** One try of a request that failed. It holds no header, no body and no word of the service's. */
export interface FailedRequestTry {
  readonly endpoint: string;
  /** Method it was made for, e.g. `TrainingClient.optim_step`. */
  readonly method: string | undefined;
  /** HTTP status; `undefined` when no answer came. */
  readonly status: number | undefined;
  readonly error: unknown;
  /** From 1. */
  readonly attempt: number;
  /** Tells whether the request goes out again. */
  readonly isRepeated: boolean;
  /** Milliseconds since the call of the request. */
  readonly elapsedMs: number;
  /** The work whose result a poll asked for. */
  readonly poll:
    | { readonly requestId: string; readonly requestType: string; readonly iteration: number }
    | undefined;
}

/** The end of a wait for a result, without one. */
export interface FailedResult {
  readonly requestId: string;
  readonly requestType: string;
  readonly error: unknown;
  /** Polls made before the last one. */
  readonly iteration: number;
  readonly elapsedMs: number;
}

/** An attempt at a sample that failed. */
export interface FailedAttempt {
  readonly method: string;
  readonly error: unknown;
  /** From 1. */
  readonly attempt: number;
  readonly isRepeated: boolean;
  readonly elapsedMs: number;
}

/** Numbers of a reporter, to see what was lost. */
export interface TelemetryStats {
  /** Events that wait. */
  readonly queued: number;
  /** Events that the service has taken. */
  readonly sent: number;
  /** Events that were lost: the queue was full, the service did not take them, or the process ended. */
  readonly dropped: number;
}

/** Reporter of one session. Its methods throw nothing and delay nothing. */
export interface SessionReporter {
  tryFailed(failure: FailedRequestTry): void;
  resultFailed(failure: FailedResult): void;
  attemptFailed(failure: FailedAttempt): void;
  /** Told of a call whose future is rejected. */
  callFailed(error: unknown): void;
  /** Sends what waits, within a limit, and ends. May be called twice. */
  close(): Promise<void>;
}

/** Reporter of what happens in one service client, for its service: `serviceReporter()` of `@tinkex/telemetry` is one. */
export interface TelemetryReporter {
  /** Called when the client opens a session, and once for calls without one. */
  begin(session: ReportedSession): SessionReporter;
  readonly stats: TelemetryStats;
}
