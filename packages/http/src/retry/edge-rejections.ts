import type { Broken, TryOutcome } from "../errors/try-outcome.js";
import type { WireRequest } from "../request/wire-request.js";

/** Most rejections in a row that are put down to the edge. */
const MAX_CREDIT = 16;

/** The proxy in front of the service refused a connection it no longer likes. */
export class EdgeRejection extends Error {
  readonly code = "EMPTY_400";

  constructor() {
    super("the proxy in front of the service answered 400 with an empty body");
    this.name = "EdgeRejection";
  }
}

/**
 * Tells the edge proxy's 400, which has no body and heals on a new connection, from a 400 of the service, which always
 * says what is wrong. The credit of a kind of traffic shrinks with every such 400 and grows with every success.
 */
export class EdgeRejections {
  readonly #renew: (request: WireRequest) => void;
  #credit = MAX_CREDIT;
  /** Tells whether the edge refused a connection lately. Until then a success says nothing new. */
  isDoubted = false;

  /** @param renew - makes the connections of such a request anew */
  constructor(renew: (request: WireRequest) => void) {
    this.#renew = renew;
  }

  /** Gives the outcome as the retry loop should see it, and has connections made anew where the edge refused one. */
  judge(outcome: TryOutcome, request: WireRequest): TryOutcome {
    if (outcome.kind !== "answer") return outcome;
    if (outcome.status >= 200 && outcome.status < 300) {
      this.#credit = Math.min(MAX_CREDIT, this.#credit + 1);
      this.isDoubted = this.#credit < MAX_CREDIT;
    }
    if (outcome.status !== 400 || outcome.body.byteLength > 0) return outcome;
    this.#renew(request);
    if (this.#credit === 0) return outcome;
    this.#credit -= 1;
    this.isDoubted = true;
    const rejected: Broken = { kind: "broken", cause: new EdgeRejection(), isStaleConnection: false };
    return rejected;
  }
}
