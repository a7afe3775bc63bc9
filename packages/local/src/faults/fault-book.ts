import type { EndpointFault, Fault, FutureFault } from "./fault.js";
import type { LoggedRequest } from "./logged-request.js";

interface Entry<Kind extends Fault> {
  readonly fault: Kind;
  /** Number of requests that the fault could have met so far. */
  seen: number;
}

/** Faults of a server, each with a count of the requests it could have met. */
export class FaultBook {
  readonly #ofEndpoints: Entry<EndpointFault>[] = [];
  readonly #ofFutures: Entry<FutureFault>[] = [];

  add(fault: Fault): void {
    if ("endpoint" in fault && fault.endpoint !== undefined) this.#ofEndpoints.push({ fault, seen: 0 });
    else if ("future" in fault) this.#ofFutures.push({ fault, seen: 0 });
  }

  /** Fault that meets a request, if any: the first of those that do. All that could have met it count it. */
  ofRequest(request: LoggedRequest): EndpointFault | undefined {
    return meet(this.#ofEndpoints, request, ({ endpoint }) => endpoint === request.endpoint);
  }

  /** Fault that meets the future of an operation that is submitted now. */
  ofFuture(submission: LoggedRequest): FutureFault | undefined {
    return meet(this.#ofFutures, submission, ({ future }) => future === submission.endpoint);
  }
}

function meet<Kind extends Fault>(
  entries: readonly Entry<Kind>[],
  request: LoggedRequest,
  isFor: (fault: Kind) => boolean,
): Kind | undefined {
  let met: Kind | undefined;
  for (const entry of entries) {
    const { fault } = entry;
    if (!isFor(fault) || fault.when?.(request) === false) continue;
    entry.seen += 1;
    const { nth = 1, times = 1 } = fault;
    if (entry.seen >= nth && entry.seen < nth + times) met ??= fault;
  }
  return met;
}
