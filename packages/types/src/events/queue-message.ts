import type { ClientIdentity } from "./client-identity.js";

/** The parts that all messages of the service's queue have. */
export interface QueueMessageBase {
  readonly service: ClientIdentity;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly operationId: number;
  /** The service's id of the work. */
  readonly requestId: string;
  /** E.g. `ForwardBackward`. */
  readonly requestType: string;
}

/** Message of the channel `tinkex:queue`: the service's word on the place of work in its queue has changed. */
export type QueueMessage = QueueMessageBase & {
  readonly type: "queue.state";
  /** `active`, or why it is paused; a state that this package does not know comes through as it is. */
  readonly state: string;
  /** The service's reason, where it gave one. */
  readonly reason: string | undefined;
};

/** Message of the tracing channel `tinkex:queue`: one object from the acceptance of a request to its result. */
export interface QueueTrace extends QueueMessageBase {
  /** The last state that the service has told. */
  state: string | undefined;
  error?: unknown;
}
