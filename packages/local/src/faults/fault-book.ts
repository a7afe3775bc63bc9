import { RequestRefusal } from "../errors/request-refusal.js";
import { shortened } from "../json/shortened.js";
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

/** @throws RequestRefusal 400 where the test's own function throws or gives a promise: a 500 would be tried again and again */
function isLetThrough(fault: Fault, request: LoggedRequest): boolean {
  const given = askTest(fault, request);
  if (typeof given !== "object" || given === null || !("then" in given)) return given !== false;
  // Nobody waits for it, and its failure must not end the process of the test.
  Promise.resolve(given).catch(() => {});
  throw new RequestRefusal(
    400,
    `"when" of a fault must give true or false at once, got a promise at ${request.endpoint}: mend it in the test`,
  );
}

function askTest(fault: Fault, request: LoggedRequest): unknown {
  try {
    return fault.when?.(request);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RequestRefusal(
      400,
      `"when" of a fault must not throw, got "${shortened(reason)}" at ${request.endpoint}: mend it in the test`,
    );
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
    if (!isFor(fault) || !isLetThrough(fault, request)) continue;
    entry.seen += 1;
    const { nth = 1, times = 1 } = fault;
    if (entry.seen >= nth && entry.seen < nth + times) met ??= fault;
  }
  return met;
}
