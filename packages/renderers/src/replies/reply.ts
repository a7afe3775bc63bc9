import type { Message } from "../messages/message.js";
import type { RendererTokenizer } from "../pieces/renderer-tokenizer.js";

/** A response of a model, read. */
export interface ParsedResponse {
  readonly message: Message;
  /**
   * End of the message: by the family's stop sequence, by the end-of-text token where that is another, or `malformed`, as a rule
   * because the model ran out of tokens.
   */
  readonly termination: Termination;
  /** Fault of the message: no end where one should be (`structural`), or calls of tools that are none (`content`). */
  readonly failure: ParseFailure | null;
}

export type Termination = "stop_sequence" | "eos" | "malformed";

export type ParseFailure = "structural" | "content";

/** Text that a model may write between the opening and the stop sequence, and its reader. */
export interface Reply {
  /** The tokens that end a message, or (of a family without one) the text. Goes into sampling parameters. */
  readonly stop: { readonly tokens: readonly string[] } | { readonly text: readonly string[] };
  /**
   * Reads a whole message.
   * @param text - the written text, without the stop token
   * @param stop - the stop token that ended it
   */
  read?(text: string, stop: string): ReadMessage;
  /** The stop token that ends all text rather than a message, where the family has one: `termination` is `eos` then. */
  readonly endOfText?: string;
  /**
   * The opening of a thinking block that prompts of the family may end with, e.g. `"<think>\n"`. A response that closes a block
   * without opening one is read as if it began with it. Left out: it is read as it stands.
   */
  readonly opening?: string;
  /** Reads all of a response, where finding the one stop token and `read` would not do. */
  parse?(ids: readonly number[], tokenizer: RendererTokenizer): ParsedResponse;
  /** Rule by which thinking is told from text while tokens come in. Left out: the family does not stream. */
  readonly streaming?: StreamingRules;
}

/** Content of a message that was read. */
export type ReadMessage = Pick<Message, "content" | "tool_calls" | "unparsed_tool_calls">;

/** Rule by which thinking is told from text while tokens come in. */
export interface StreamingRules {
  /** True where prompts end with the opening of a thinking block, so that responses start in thinking. @defaultValue false */
  readonly startsInThinking?: boolean;
}
