import type { ClientIdentity } from "./client-identity.js";
import type { OperationMessage } from "./operation-message.js";
import type { QueueMessage } from "./queue-message.js";
import type { RequestMessage } from "./request-message.js";

/** Message of any channel. */
export type ClientMessage = OperationMessage | RequestMessage | QueueMessage;

/** Messages that a reader was too slow for, and which were dropped at this place of its stream. */
export interface DroppedMessages {
  readonly type: "dropped";
  readonly service: ClientIdentity;
  readonly atMs: number;
  /** Messages dropped since the reader last heard of it. */
  readonly count: number;
}
