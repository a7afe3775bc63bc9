import { refusal } from "../messages/check-messages.js";
import type { Message } from "../messages/message.js";
import { contentParts } from "../messages/message-content.js";

/**
 * Refuses pictures, for families that do not see.
 *
 * @throws ValidationError naming the message
 */
export function refuseImages({ content }: Message, index: number): void {
  if (contentParts(content).some(({ type }) => type === "image")) {
    throw refusal(
      index,
      "has an image, which this model does not see",
      "leave it out, or take a model that sees",
    );
  }
}
