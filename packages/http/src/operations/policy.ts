import type { RetryPolicyName } from "../retry/retry-policy.js";
import type { PoolName } from "./pool-limits.js";
import type { TryTimeouts } from "./try-timeouts.js";

/** How the calls of one endpoint are made: connections, limits and repeats. Method and path stand in the table of endpoints. */
export interface Policy {
  /** The connections it uses, so that long polls never hold up a heartbeat. */
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
