import type { QueueStateEvent } from "./queue-state-event.js";

/** What the work behind a future learns from it, and tells it. */
export interface FutureWork {
  /** Aborts when nobody wants the result any more: `cancel()`, the caller's signal or limit, a closed client. */
  readonly signal: AbortSignal;
  /**
   * From now on requests leave: the work can no longer be called off without the service noticing.
   *
   * @throws the reason of `signal` when it has aborted before the first of them: then none may leave
   */
  sending(): void;
  /** The service has accepted a request of the work under this id. */
  accepted(requestId: string): void;
  /** The service has accepted all requests of the work. */
  submitted(): void;
  /** The service said how the work stands in its queue. */
  queueState(event: QueueStateEvent): void;
  /** How the service is asked to stop the work. Without it, cancelling only stops the waiting. */
  onCancel(askServer: () => Promise<boolean>): void;
}
