import type { RetryPolicyName } from "../retry/retry-policy.js";

/** Kinds of traffic, each with a limit of its own. `train`, `sample` and `poll` share connections, the others have their own. */
export type PoolName = "session" | "train" | "sample" | "poll" | "telemetry" | "rest" | "auth";

/**
 * Most requests under way per kind of traffic; further ones wait in the order of their calls. Polls have no limit:
 * each result waited for holds one for up to 45 s, and a client may wait for thousands.
 */
export const POOL_LIMITS: Readonly<Record<PoolName, number>> = {
  session: 50,
  train: 64,
  sample: 400,
  poll: Number.POSITIVE_INFINITY,
  telemetry: 4,
  rest: 50,
  auth: 4,
};

/** Time limits of one try, in milliseconds. The whole call is limited by the caller's `timeoutMs` alone. */
export interface TryTimeouts {
  /** From the request's turn on the connection to the status line; sending a big body gets 1 s more for each 128 KiB. */
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

const MIB = 1024 * 1024;

/** Most bytes of the answer to a call that opens, asks or ends something, packed and unpacked. */
export const MAX_CONTROL_BYTES = 4 * MIB;
/** Most bytes of a list: pages of runs, usage, audit logs, traces. */
export const MAX_LIST_BYTES = 64 * MIB;
/** Most bytes of what training and sampling give. */
export const MAX_RESULT_BYTES = 512 * MIB;

/** Rules for the calls of one endpoint: connections, limits and repeats. Method and path stand in the table of endpoints. */
export interface Policy {
  /** The limit and the connections it uses, so that long polls never hold up a heartbeat. */
  readonly pool: PoolName;
  readonly timeouts: TryTimeouts;
  /** Most bytes of a successful answer, packed and unpacked. */
  readonly maxAnswerBytes: number;
  readonly retry: RetryPolicyName;
  /**
   * Reason why a request whose answer was lost may be sent again: a `method` without effects, or the `key` that goes with it
   * (`X-Idempotency-Key`). `no`: it may not, and no key is sent.
   */
  readonly idempotent: "method" | "key" | "no";
  /** Forms a body may have: `json` alone, or `protobuf` too. */
  readonly wire: "json" | "protobuf";
  /** Statuses that waiting cannot mend for this endpoint although the policy would retry them. */
  readonly finalStatuses?: readonly number[];
  /** Meaning of a redirect: go there (default), or the answer itself. */
  readonly redirect?: "follow" | "return";
  /** Sent with the key itself also where the service wants tokens for everything else. */
  readonly credential?: "key";
}
