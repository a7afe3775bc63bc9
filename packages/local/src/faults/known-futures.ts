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

/** Futures by the ids of their requests. An operation that is sent again has the future it had. */
export class KnownFutures {
  readonly #byId = new Map<string, KnownFuture>();
  readonly #bySubmission = new Map<string, KnownFuture>();

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
    if (key !== undefined) this.#bySubmission.set(key, future);
    return future;
  }

  /** Notes the id that the server gave to an operation. */
  note(requestId: string, future: KnownFuture): void {
    this.#byId.set(requestId, future);
  }

  get(requestId: string | undefined): KnownFuture | undefined {
    return requestId === undefined ? undefined : this.#byId.get(requestId);
  }
}
