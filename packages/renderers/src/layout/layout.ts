import type { Message, Role, ToolDeclaration } from "../messages/message.js";
import type { Piece } from "../pieces/piece.js";
import type { Reply } from "../replies/reply.js";

/**
 * Form in which one family of models writes conversations: data and pure functions, from which `createLayoutRenderer` makes a renderer.
 * A layout throws a ValidationError for what it cannot show.
 */
export interface Layout {
  /** True where the prompt of every later turn begins with the document of the turns before it. */
  readonly hasExtensionProperty: boolean;
  /** True where what stands in the document without a picture between it is one chunk, rather than a chunk a piece. @defaultValue false */
  readonly joinsChunks?: boolean;
  /** True where its prompts rule thinking out, so that a turn with reasoning cannot be trained on. @defaultValue false */
  readonly disablesThinking?: boolean;

  /** Refuses a message as the caller gave it. `index` is its place in the caller's list, for the error. */
  checkMessage?(message: Message, index: number): void;
  /** The messages to render in place of the caller's: e.g. with a system message that the family always has. */
  arrange?(messages: readonly Message[]): readonly Message[];
  /**
   * Index of the last message before the last turn of the assistant: its messages behind that are the turn. -1: all are.
   * @param isPrompt - the message to come is another one, rather than the last of these
   * @defaultValue the last user message
   */
  turnBorder?(messages: readonly Message[], isPrompt: boolean): number;

  /**
   * Tells whether all messages of a turn are written as they were produced, so that several training examples are cut where a user speaks
   * again, rather than behind each message of the assistant.
   * @defaultValue false
   */
  readonly splitsAtUsers?: boolean;

  /** Beginning of a document in front of the first message, such as a begin-of-text token. Never trained on. */
  prelude(messages: readonly Message[]): readonly Piece[];
  render(place: Place): RenderedMessage;
  /** Invitation of `role` to write: the header of its message and what the family always begins with. */
  opening(role: Role, messages: readonly Message[]): readonly Piece[];
  /** Text that every prefill begins with, in one piece with it, behind the opening. @defaultValue "" */
  prefill?(role: Role, messages: readonly Message[]): string;
  /** The messages that tell the model of its tools. Left out: the family has no tools. */
  declareTools?(tools: readonly ToolDeclaration[], systemPrompt: string): readonly Message[];

  /**
   * Texts that `declareTools` writes word for word and in which tokens stand, such as an example of a call. With the option
   * `literalText` they are known again in messages of the system; all else in those is what people wrote.
   * @defaultValue none
   */
  readonly instructions?: readonly string[];

  /** The end of the model's messages, and the reader of what it wrote. */
  readonly reply: Reply;
}

/** A message and where it stands. */
export interface Place {
  readonly message: Message;
  readonly index: number;
  /** All messages, as arranged. */
  readonly messages: readonly Message[];
  readonly previous: Message | undefined;
  readonly next: Message | undefined;
  readonly isLast: boolean;
  /** Index of the last user message, -1 without one. */
  readonly lastUserIndex: number;
  /** True where it stands behind the border of the last turn (see {@link Layout.turnBorder}). */
  readonly isInLastTurn: boolean;
  /** True where the option `literalText` is on, so that no tag which a text spells out counts. @defaultValue false */
  readonly literalText?: boolean;
}

/** A message as pieces. */
export interface RenderedMessage {
  /** Its introduction. */
  readonly header: readonly Piece[];
  /** Its author's words, with the token that ends it. */
  readonly output: readonly Piece[];
  /** The tokens that the end of the message shares with what would follow. Written, and trained on, behind the last message only. */
  readonly stopOverlap?: readonly Piece[];
}
