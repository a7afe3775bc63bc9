import type { TryOutcome } from "../errors/try-outcome.js";
import type { CallLifetime } from "../limits/call-lifetime.js";
import type { WireRequest } from "../request/wire-request.js";

/** Carrier of requests: undici's pools, or a `fetch` that the user brings. */
export interface Sender {
  /** Sends once. Rejects with the interruption of the call alone, or an error of its body or of the answer's size; every failure of the network is an outcome. */
  send(request: WireRequest, lifetime: CallLifetime): Promise<TryOutcome>;
  /** Makes the connections that carry requests like this one anew; what is under way on the old ones may finish. */
  renew(request: WireRequest): void;
  /** Open connections; `undefined` where they are not ours to count. */
  readonly sockets: number | undefined;
  /** Lets all connections go. */
  close(): Promise<void>;
}
