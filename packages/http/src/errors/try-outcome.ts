/** The server's answer to one try, whatever its status. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Origin that a request without an answer had been sent on to. */
interface SentOn {
  /** Absent where nobody had redirected it. */
  readonly redirectedTo?: string;
}

/** The connection could not be made, or broke before the answer was whole. */
export interface Broken extends SentOn {
  readonly kind: "broken";
  readonly cause: unknown;
  /** A kept connection that the server had let go: nothing of an answer arrived on it. */
  readonly isStaleConnection: boolean;
  /** Nothing had left: the connection, or TLS on it, never stood. */
  readonly isUnsent?: boolean;
}

/** One of the try's own time limits ran out. */
export interface TimedOut extends SentOn {
  readonly kind: "timed_out";
  readonly waitingFor: "a connection" | "the status line" | "the rest of the body" | "the whole answer";
  readonly limitMs: number;
}

/** Outcome of one try. Interruptions of the call are not among it: they reject. */
export type TryOutcome = Answer | Broken | TimedOut;
