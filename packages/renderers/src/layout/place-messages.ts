import type { Message } from "../messages/message.js";
import type { Layout, Place } from "./layout.js";

/** Says of each message where it stands, in a prompt or in a document. */
export function placeMessages(
  messages: readonly Message[],
  turnBorder: Layout["turnBorder"] = lastUserIndex,
  isPrompt = false,
): Place[] {
  const lastUser = lastUserIndex(messages);
  const border = turnBorder(messages, isPrompt);
  return messages.map((message, index) => ({
    message,
    index,
    messages,
    previous: messages[index - 1],
    next: messages[index + 1],
    isLast: index === messages.length - 1,
    lastUserIndex: lastUser,
    isInLastTurn: index > border,
  }));
}

function lastUserIndex(messages: readonly Message[]): number {
  return messages.findLastIndex(({ role }) => role === "user");
}
