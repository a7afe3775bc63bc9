import type { Role } from "../messages/message.js";
import type { ParsedResponse } from "./reply.js";

/** Reads a response token by token. */
export interface ResponseStream {
  /** Events that the next tokens make known. After the stop token nothing more comes. */
  push(ids: number | ArrayLike<number>): ResponseEvent[];
  /** Events that were held back, and the whole message, unless the stop token has brought them already. */
  end(): ResponseEvent[];
}

/** Event that tells what becomes known of a response while its tokens come in. */
export type ResponseEvent =
  /** Comes first. */
  | { readonly type: "header"; readonly role: Role }
  /** More text. Text and thinking that follow each other have different indexes. */
  | { readonly type: "text"; readonly text: string; readonly index: number }
  /** More of what the model thinks. */
  | { readonly type: "thinking"; readonly thinking: string; readonly index: number }
  /** Comes last: what plain parsing gives. */
  | ({ readonly type: "message" } & ParsedResponse);

export interface ResponseStreamOptions {
  /**
   * True where the prompt had the opening of the thinking block, so that the first tokens are thinking.
   * @defaultValue whether the family's own prompt has it
   */
  readonly startsInThinking?: boolean | undefined;
}
