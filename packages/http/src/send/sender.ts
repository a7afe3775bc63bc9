import type { TryOutcome } from "../errors/try-outcome.js";
import type { CallScope } from "../limits/call-scope.js";
import type { WireRequest } from "../request/wire-request.js";

/** What carries requests: undici's pools, or a `fetch` that the user brings. */
export interface Sender {
  /** Sends once. Rejects with the scope's interruption alone; every failure of the network is an outcome. */
  send(request: WireRequest, scope: CallScope): Promise<TryOutcome>;
  /** Makes the connections that carry requests like this one anew; what is under way on the old ones may finish. */
  renew(request: WireRequest): void;
  /** Lets all connections go. */
  close(): Promise<void>;
}
