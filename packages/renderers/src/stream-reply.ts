import { ValidationError } from "@tinkex/types/base";
import type { RendererTokenizer } from "./renderer-tokenizer.js";
import type { Reply } from "./reply.js";
import type { ResponseStream, ResponseStreamOptions } from "./response-stream.js";

/** Reads a response token by token. */
export function streamReply(
  _reply: Reply,
  _tokenizer: RendererTokenizer,
  name: string,
  _options: ResponseStreamOptions = {},
): ResponseStream {
  throw new ValidationError(`${name} does not stream: collect the tokens and use parseResponse.`);
}
