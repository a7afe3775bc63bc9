import type { Open, QueueState } from "@tinkex/types";

/** A public method as the service's statistics know it: the official class name, and the method in snake_case. */
export type SdkMethod =
  `${"ServiceClient" | "TrainingClient" | "SamplingClient" | "RestClient" | "AdminClient"}.${string}`;

/** The service's word on an operation's place in its queue. */
export interface QueueStateEvent {
  /** `active`, or why it is paused; a state that this package does not know yet comes through as it is. */
  readonly state: Open<QueueState>;
  /** The service's reason in its own words, when it gave one. */
  readonly reason: string | undefined;
  /** The service's id of the work. */
  readonly requestId: string;
  /** E.g. `ForwardBackward`. */
  readonly requestType: string;
}

/** The call that a request is made for, which its headers say. */
export interface OnBehalfOf {
  /** The method on whose behalf requests are made. */
  readonly method?: SdkMethod | undefined;
  /** The caller's own headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Number of the call, by which messages of its requests name it. */
  readonly operationId?: number | undefined;
  /** Told why a try of a request failed that is made again, and `undefined` once the service has answered well. */
  readonly tryFailed?: ((outcome: string | undefined) => void) | undefined;
}

/** Wait for the result of one request. */
export interface ResultWait<T> {
  /** @param onFailure - told of the error, before the promise rejects with it */
  result(onFailure?: (error: unknown) => void): Promise<T>;
  /** Number of the last poll, from 0. */
  readonly iteration: number;
}

/** The work behind a future: what it learns from the future, and tells it. */
export interface OperationContext {
  /** The method as its caller spells it, for messages, e.g. `optimStep`. */
  readonly name: string;
  readonly onBehalfOf: OnBehalfOf;
  /** Aborts when nobody wants the result any more: `cancel()`, the caller's signal or limit, a closed client. */
  readonly signal: AbortSignal;
  /** Tells whether somebody waits for the result now. */
  isAwaited(): boolean;
  /** The time of the call, by the monotonic clock. */
  readonly startedAtMs: number;
  /** The sequence id of the work's first request, which the work sets. */
  seqId: number | undefined;
  /**
   * Notes that requests leave from now on: the work can no longer be called off without the service noticing.
   *
   * @throws the reason of `signal` when it has aborted before the first of them: then none may leave
   */
  sending(): void;
  /** Notes that the service has accepted a request of the work under this id. */
  accepted(requestId: string): void;
  /** Notes that the service has accepted all requests of the work. */
  submitted(): void;
  /** Notes how the work stands in the service's queue. */
  queueState(event: QueueStateEvent): void;
  /** Runs the wait for the result of a request, of which somebody may hear. */
  whileQueued<T>(requestId: string, requestType: string, wait: ResultWait<T>): Promise<T>;
  /** Notes an attempt at the work that failed, of which somebody may hear. @param attempt - from 1 */
  attemptFailed(error: unknown, attempt: number, isRepeated: boolean): void;
  /** Notes that the service was asked for the result and has none yet. */
  stillWaiting(): void;
  /** Sets how the service is asked to stop the work. Without it, cancelling only stops the waiting. */
  onCancel(askServer: () => Promise<boolean>): void;
}
