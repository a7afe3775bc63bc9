import type { Broken, TryOutcome } from "../errors/try-outcome.js";
import type { Operation } from "../operations/operations.js";
import type { PoolName } from "../operations/pool-limits.js";

/** Most rejections in a row, per kind of traffic, that are put down to the edge. */
const CREDIT = 16;

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
 * says what is wrong. The credit of each kind of traffic shrinks with every such 400 and grows with every success.
 */
export class EdgeRejections {
  readonly #credit = new Map<PoolName, number>();

  /** The outcome as the retry loop should see it, and whether the connections should be made anew. */
  judge(outcome: TryOutcome, { pool }: Pick<Operation, "pool">): { outcome: TryOutcome; renew: boolean } {
    const credit = this.#credit.get(pool) ?? CREDIT;
    if (outcome.kind !== "answer") return { outcome, renew: false };
    if (outcome.status >= 200 && outcome.status < 300) this.#credit.set(pool, Math.min(CREDIT, credit + 1));
    if (outcome.status !== 400 || outcome.body.byteLength > 0) return { outcome, renew: false };
    if (credit === 0) return { outcome, renew: true };
    this.#credit.set(pool, credit - 1);
    const rejected: Broken = { kind: "broken", cause: new EdgeRejection(), staleConnection: false };
    return { outcome: rejected, renew: true };
  }
}
