import { ValidationError } from "@tinkex/base";
import type { Message } from "../messages/message.js";
import type { Piece } from "../pieces/piece.js";
import { recognisePhrases } from "../pieces/text-run.js";

/** Characters that tokens of layouts are made of, and those that end the line of a header. */
const NOT_IN_ROLES = /[\p{Cc}\u2028\u2029<>|\uff5c[\]]/u;

/**
 * Refuses a role that could be more than a name: it stands in the header of a message, between tokens.
 *
 * @throws ValidationError naming the place
 */
export function checkRole(role: string, path: readonly (string | number)[]): void {
  if (!NOT_IN_ROLES.test(role)) return;
  throw new ValidationError(
    `${placeOf(path)} must be a name without line breaks and brackets, got ${JSON.stringify(role)}: write a plain word, or have the renderer keep it as text with the option literalText`,
    { path },
  );
}

function placeOf(path: readonly (string | number)[]): string {
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${step}`))
    .join("");
}

/** Messages to be rendered as the models' own software renders them: tags and tokens that they spell out count. */
export function plainMessages(messages: readonly Message[]): readonly Message[] {
  for (const [index, { role }] of messages.entries()) checkRole(role, ["messages", index, "role"]);
  return messages;
}

/** Messages whose texts say what they say: a layout finds no thinking in the tags that a string of the assistant spells out. */
export function literalMessages(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => {
    const { role, content } = message;
    const isRead =
      role === "assistant" &&
      typeof content === "string" &&
      (content.includes("<think>") || content.includes("</think>"));
    return isRead ? { ...message, content: [{ type: "text", text: content }] } : message;
  });
}

/** Takes what a layout wrote into a message of the system, about tools, for its own again. */
export function recogniseInstructions(pieces: readonly Piece[], instructions: readonly string[]): Piece[] {
  return pieces.map((piece) => {
    if (!("text" in piece) || typeof piece.text === "string") return piece;
    return { ...piece, text: recognisePhrases(piece.text, instructions) };
  });
}
