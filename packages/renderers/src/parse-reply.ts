import { ValidationError } from "@tinkex/types/base";
import type { RendererTokenizer } from "./renderer-tokenizer.js";
import type { ParsedResponse, ReadMessage, Reply } from "./reply.js";

/** Reads all tokens of a response. */
export function parseReply(
  reply: Reply,
  ids: readonly number[],
  tokenizer: RendererTokenizer,
): ParsedResponse {
  if (reply.parse !== undefined) return reply.parse(ids, tokenizer);
  const stops = stopTokens(reply, tokenizer);
  const ends = ids.flatMap((id, index) => (stops.has(id) ? [index] : []));
  const [end] = ends;
  if (end === undefined) {
    return {
      message: { role: "assistant", content: tokenizer.decode(ids) },
      termination: "malformed",
      failure: "structural",
    };
  }
  if (ends.length > 1) {
    throw new ValidationError(
      `The response holds ${ends.length} stop tokens: the model was sampled on after its end. Give sampling the stopSequences of this renderer.`,
      { path: ["ids", ends[1] ?? end] },
    );
  }
  const stop = stops.get(ids[end] ?? Number.NaN) ?? "";
  return finished(readMessage(reply, tokenizer.decode(ids.slice(0, end)), stop));
}

/** The stop tokens by id. */
export function stopTokens(reply: Reply, tokenizer: RendererTokenizer): ReadonlyMap<number, string> {
  if (!("tokens" in reply.stop)) return new Map();
  return new Map(
    reply.stop.tokens.flatMap((token) => {
      const id = tokenizer.tokenId(token);
      return id === undefined ? [] : [[id, token]];
    }),
  );
}

export function readMessage(reply: Reply, text: string, stop: string): ReadMessage {
  return reply.read?.(text, stop) ?? { content: text };
}

/** A message that ended as it should. */
export function finished(read: ReadMessage): ParsedResponse {
  return {
    message: { role: "assistant", ...read },
    termination: "stop_sequence",
    failure: read.unparsed_tool_calls === undefined ? null : "content",
  };
}
