import type { Open, QueueState } from "@tinkex/types";

/** What the service said about an operation's place in its queue. */
export interface QueueStateEvent {
  /** `active`, or why it is paused; a word of the service that is none of ours comes through as it is. */
  readonly state: Open<QueueState>;
  /** The service's reason in its own words, when it gave one. */
  readonly reason: string | undefined;
  readonly requestId: string;
  /** E.g. `ForwardBackward`. */
  readonly requestType: string;
}
