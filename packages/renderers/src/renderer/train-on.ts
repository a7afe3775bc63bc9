import type { Message } from "../messages/message.js";

/** Tokens of a conversation to train on. */
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

/** Place of a message, as far as weights ask for it. */
export interface TrainedPlace {
  readonly isLast: boolean;
  readonly isInLastTurn: boolean;
}

/** Tells whether a mode trains on a message's output, and on its header too. */
export const trainOnRules: Readonly<
  Record<
    TrainOn,
    { readonly hasHeaders: boolean; readonly trains: (message: Message, place: TrainedPlace) => boolean }
  >
> = {
  last_assistant_message: {
    hasHeaders: false,
    trains: ({ role }, { isLast }) => isLast && role === "assistant",
  },
  last_assistant_turn: {
    hasHeaders: false,
    trains: ({ role }, { isInLastTurn }) => isInLastTurn && role === "assistant",
  },
  all_assistant_messages: { hasHeaders: false, trains: ({ role }) => role === "assistant" },
  all_messages: { hasHeaders: false, trains: () => true },
  all_tokens: { hasHeaders: true, trains: () => true },
  all_user_and_system_messages: {
    hasHeaders: false,
    trains: ({ role }) => role === "user" || role === "system",
  },
  customized: { hasHeaders: false, trains: ({ trainable }) => trainable === true },
};
