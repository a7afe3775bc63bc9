import type { RetryPolicyName } from "../retry/retry-policy.js";
import type { PoolName } from "./pool-limits.js";
import type { TryTimeouts } from "./try-timeouts.js";

/** One row of the table of operations: everything the transport has to know about a kind of call. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path below the base URL; `{name}` parts are filled from the call. */
  readonly path: string;
  /** Which connections it uses, so that long polls never hold up a heartbeat. */
  readonly pool: PoolName;
  readonly timeouts: TryTimeouts;
  /** Most bytes of a successful answer, packed and unpacked. */
  readonly maxAnswerBytes: number;
  readonly retry: RetryPolicyName;
  /**
   * Why a request whose answer was lost may be sent again: a `method` without effects, or the `key` that goes with
   * it (`X-Idempotency-Key`). `no`: it may not, and no key is sent.
   */
  readonly idempotent: "method" | "key" | "no";
  /** What bodies may be: `json` alone, or `protobuf` too. */
  readonly wire: "json" | "protobuf";
  /** Statuses that waiting cannot mend for this operation although the policy would retry them. */
  readonly finalStatuses?: readonly number[];
  /** What a redirect means: go there (default), or the answer itself. */
  readonly redirect?: "follow" | "return";
  /** Sent with the key itself also where the service wants tokens for everything else. */
  readonly credential?: "key";
}
