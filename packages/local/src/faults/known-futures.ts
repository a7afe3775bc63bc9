import type { OperationName } from "@tinkex/types";
import type { FutureFault } from "./fault.js";
import type { LoggedRequest } from "./logged-request.js";

/** Future of an operation that was submitted, and the fault that its polls meet. */
export interface KnownFuture {
  readonly operation: OperationName;
  readonly sessionId: string | undefined;
  readonly fault: FutureFault | undefined;
  /** Number of polls that met the fault. */
  metPolls: number;
}

/** Most futures that are known: who polls for one that is older has had its result long ago. */
const MAX_FUTURES = 100_000;

/** Futures by the ids of their requests, the last ones. An operation that is sent again has the future it had. */
export class KnownFutures {
  readonly #maxFutures: number;
  readonly #byId = new Map<string, KnownFuture>();
  readonly #bySubmission = new Map<string, KnownFuture>();

  constructor(maxFutures = MAX_FUTURES) {
    this.#maxFutures = maxFutures;
  }

  /** Finds the future of an operation that comes again, or makes one with the fault that `draw` gives. */
  ofSubmission(
    request: LoggedRequest,
    operation: OperationName,
    draw: () => FutureFault | undefined,
  ): KnownFuture {
    const { sessionId, modelId, samplerId, sequenceId } = request;
    const owner = modelId ?? samplerId;
    const key =
      owner === undefined || sequenceId === undefined ? undefined : `${operation} ${owner} ${sequenceId}`;
    const known = key === undefined ? undefined : this.#bySubmission.get(key);
    if (known !== undefined) return known;
    const future: KnownFuture = { operation, sessionId, fault: draw(), metPolls: 0 };
    if (key !== undefined) this.#keep(this.#bySubmission, key, future);
    return future;
  }

  /** Notes the id that the server gave to an operation. */
  note(requestId: string, future: KnownFuture): void {
    this.#keep(this.#byId, requestId, future);
  }

  #keep(futures: Map<string, KnownFuture>, key: string, future: KnownFuture): void {
    futures.set(key, future);
    const [oldest] = futures.keys();
    if (futures.size > this.#maxFutures && oldest !== undefined) futures.delete(oldest);
  }

  get(requestId: string | undefined): KnownFuture | undefined {
    return requestId === undefined ? undefined : this.#byId.get(requestId);
  }
}
