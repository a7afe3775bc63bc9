import { ValidationError } from "@tinkex/base";
import type { Message } from "../messages/message.js";
import type { TrainOn } from "../renderer/train-on.js";
import type { Layout } from "./layout.js";
import { placeMessages } from "./place-messages.js";

/** A conversation, or the head of one, and what to train on in it. */
export interface ConversationPart {
  readonly messages: readonly Message[];
  readonly trainOn: TrainOn;
}

/** The modes whose trained messages are all an assistant's, so that each can stand at the end of a document of its own. */
const SPLIT_MODES: ReadonlySet<TrainOn> = new Set([
  "last_assistant_message",
  "last_assistant_turn",
  "all_assistant_messages",
]);

/**
 * Cuts a conversation so that each trained message is the last of a part, unless the layout writes earlier messages as they
 * were produced.
 *
 * @throws ValidationError for modes that cannot be cut
 */
export function splitConversation(
  messages: readonly Message[],
  trainOn: TrainOn,
  layout: Layout,
): ConversationPart[] {
  if (layout.hasExtensionProperty) return [{ messages, trainOn }];
  if (!SPLIT_MODES.has(trainOn)) {
    throw new ValidationError(
      `"${trainOn}" trains on messages that no model produced, so that this renderer cannot make several examples of it; use buildSupervisedExample`,
      { path: ["trainOn"] },
    );
  }
  if (trainOn === "last_assistant_message") return [{ messages, trainOn }];
  if (layout.splitsAtUsers === true) return splitAtUsers(messages, trainOn);
  return placeMessages(messages, layout.turnBorder)
    .filter(
      ({ message, isInLastTurn }) =>
        message.role === "assistant" && (isInLastTurn || trainOn === "all_assistant_messages"),
    )
    .map(({ index }) => ({
      messages: messages.slice(0, index + 1),
      trainOn: "last_assistant_message",
    }));
}

/** One part for each stretch that begins with a user, the last of which is the whole conversation. */
function splitAtUsers(messages: readonly Message[], trainOn: TrainOn): ConversationPart[] {
  const [, ...later] = messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  const cuts = trainOn === "all_assistant_messages" ? later : [];
  return [...cuts, messages.length].map((end) => ({
    messages: messages.slice(0, end),
    trainOn: "last_assistant_turn",
  }));
}
