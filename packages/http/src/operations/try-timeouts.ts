/** Time limits of one try, in milliseconds. The whole call is limited by the caller's `timeoutMs` alone. */
export interface TryTimeouts {
  /** From the request's turn on the connection to the status line; sending a big body gets more, see `uploadAllowanceMs`. */
  readonly headersMs: number;
  /** Longest silence within a body. A body that trickles may go on. */
  readonly silenceMs: number;
  /** The whole try, body included. */
  readonly totalMs?: number;
}

/** The API's usual limits. */
export const USUAL: TryTimeouts = { headersMs: 60_000, silenceMs: 60_000 };

/** Limits of a try that has to be over, body and all, within `totalMs`. */
export function within(totalMs: number): TryTimeouts {
  return { headersMs: totalMs, silenceMs: totalMs, totalMs };
}
