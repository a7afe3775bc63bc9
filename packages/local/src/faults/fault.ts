import type { RequestErrorCategory } from "@tinkex/base";
import type { EndpointName, OperationName, QueueState } from "@tinkex/types";
import type { LoggedRequest } from "./logged-request.js";

/** Requests that a fault meets, among those to its endpoint or about its futures. */
interface Occurrence {
  /** First one that it meets, counted from 1 among those that `when` lets through. @defaultValue 1 */
  readonly nth?: number | undefined;
  /** Number of them that it meets, one after another; `Infinity` for all. @defaultValue 1 */
  readonly times?: number | undefined;
  /** Lets only some requests count, at once and without a promise, e.g. `({ sequenceId }) => sequenceId === 3`. @defaultValue all */
  readonly when?: ((request: LoggedRequest) => boolean) | undefined;
}

/** Answers with a status, and does nothing of what was asked for. */
export interface Refusal {
  /** From 400 to 599: 402 for an account without money, 429 for too many requests, 503 for a busy service. */
  readonly status: number;
  /** Text of the answer's `detail`. @defaultValue names the status */
  readonly detail?: string | undefined;
  /** Header `Retry-After`, in whole seconds from 0. @defaultValue none is sent */
  readonly retryAfterSeconds?: number | undefined;
  readonly delayMs?: number | undefined;
}

/** Closes the connection in the place of an answer. */
export interface Disconnect {
  /** `before`: nothing of what was asked for is done. `after`: it is done, and its answer is lost. */
  readonly disconnect: "before" | "after";
  readonly delayMs?: number | undefined;
}

/** Lets the request wait before it is looked at. */
export interface Delay {
  /** In milliseconds, by the clock of the server. */
  readonly delayMs: number;
}

/** Forgets the session of the request, as a service that was started anew: this request and all later ones of it are answered 404. */
export interface SessionLoss {
  readonly loseSession: true;
}

/** Says that the operation waits, in the place of its result. */
export interface QueueNotice {
  readonly queueState: QueueState;
  /** Text for the client's log. */
  readonly reason?: string | undefined;
}

/** Lets the operation fail. What trains, saves or loads is not run; a sample and a new model are, and their result is withheld. */
export interface Failure {
  readonly fail: string;
  /** @defaultValue `server` */
  readonly category?: RequestErrorCategory | undefined;
}

/** Says with 410 that the result is gone. The operation has run. */
export interface ResultExpiry {
  readonly expire: true;
}

/** A fault of requests to one endpoint. */
export type EndpointFault = Occurrence & {
  readonly endpoint: EndpointName;
} & (Refusal | Disconnect | Delay | SessionLoss);

/** A fault of polls for the results of one kind of operation; `nth`, `times` and `when` choose operations. */
export type FutureFault = Occurrence & {
  readonly future: OperationName;
  /** Number of polls for each of these results that it meets. @defaultValue 1; all for `fail` and `expire` */
  readonly polls?: number | undefined;
} & (Refusal | Disconnect | Delay | QueueNotice | Failure | ResultExpiry);

/** A fault of the server, in time or for good. */
export type Fault = EndpointFault | FutureFault;
