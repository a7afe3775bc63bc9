import type { Message } from "../messages/message.js";

/** Which tokens of a conversation to train on. */
export type TrainOn =
  /** The last message, if it is an assistant's. */
  | "last_assistant_message"
  /** The assistant's messages after the last user message. */
  | "last_assistant_turn"
  /** All messages of the assistant. */
  | "all_assistant_messages"
  /** All messages, without what introduces them. */
  | "all_messages"
  /** Everything but what stands in front of the first message. */
  | "all_tokens"
  /** All messages of users and of the system. */
  | "all_user_and_system_messages"
  /** The messages that say `trainable: true`; each message must say whether it is. */
  | "customized";

/** Where a message stands, as far as weights ask for it. */
export interface TrainedPlace {
  readonly isLast: boolean;
  readonly inLastTurn: boolean;
}

/** Whether a mode trains on a message's output, and whether on its header too. */
export const trainOnRules: Readonly<
  Record<
    TrainOn,
    { readonly headers: boolean; readonly trains: (message: Message, place: TrainedPlace) => boolean }
  >
> = {
  last_assistant_message: {
    headers: false,
    trains: ({ role }, { isLast }) => isLast && role === "assistant",
  },
  last_assistant_turn: {
    headers: false,
    trains: ({ role }, { inLastTurn }) => inLastTurn && role === "assistant",
  },
  all_assistant_messages: { headers: false, trains: ({ role }) => role === "assistant" },
  all_messages: { headers: false, trains: () => true },
  all_tokens: { headers: true, trains: () => true },
  all_user_and_system_messages: {
    headers: false,
    trains: ({ role }) => role === "user" || role === "system",
  },
  customized: { headers: false, trains: ({ trainable }) => trainable === true },
};
