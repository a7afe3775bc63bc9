import type { FailedTry } from "@tinkex/base";
import type { CallLifetime } from "./limits/call-lifetime.js";
import type { Traffic } from "./limits/traffic.js";
import type { Operation } from "./operations/operations.js";
import type { WireRequest } from "./request/wire-request.js";
import type { TinkexCall } from "./tinkex-transport.js";

/** One call on its way: the request it became, how it goes out, and what it has met so far. */
export interface Job {
  readonly call: TinkexCall;
  readonly operation: Operation;
  readonly request: WireRequest;
  readonly traffic: Traffic;
  readonly lifetime: CallLifetime;
  readonly earlierTries: FailedTry[];
  /** Number of the try that is made now, from 1. */
  attempt: number;
  /** Repeats that count against the policy. */
  retries: number;
  /** A kept connection had died, and the request has gone out again at once for that. */
  hasRepeatedAtOnce: boolean;
}
