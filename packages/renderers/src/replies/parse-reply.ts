import { checkNumberList, ValidationError } from "@tinkex/base";
import type { RendererTokenizer } from "../pieces/renderer-tokenizer.js";
import type { ParsedResponse, ReadMessage, Reply } from "./reply.js";

/**
 * Reads all tokens of a response.
 *
 * @throws ValidationError for what is no list of token ids, and for a response that goes on behind its end
 */
export function parseReply(
  reply: Reply,
  response: ArrayLike<number>,
  tokenizer: RendererTokenizer,
): ParsedResponse {
  const ids = idsOf(response);
  if (reply.parse !== undefined) return reply.parse(ids, tokenizer);
  const stops = stopTokens(reply, tokenizer);
  const ends = ids.flatMap((id, index) => (stops.has(id) ? [index] : []));
  const [end] = ends;
  if (end === undefined) return unfinished(reply, tokenizer.decode(ids));
  refuseStops(ends);
  const stop = stops.get(ids[end] ?? Number.NaN) ?? "";
  return finished(reply, tokenizer.decode(ids.slice(0, end)), stop);
}

/** Refuses a response that goes on behind its end. @param places - the places of its stop tokens */
export function refuseStops(places: readonly number[]): void {
  const [, second] = places;
  if (second === undefined) return;
  throw new ValidationError(
    `the response holds ${places.length} stop tokens, so that the model was sampled on after its end; give sampling the stopSequences of this renderer`,
    { path: ["ids", second] },
  );
}

function idsOf(response: ArrayLike<number>): number[] {
  checkNumberList(response, "ids");
  const ids = Array.from(response);
  if (ids.every(Number.isInteger)) return ids;
  throw new ValidationError(
    "ids must be an array or a typed array of numbers, each a token id, as `sequences[0].tokens` of a sample is",
    {
      path: ["ids"],
    },
  );
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

/** A message that ended as it should, by what was written and the token that ended it. */
export function finished(reply: Reply, text: string, stop: string): ParsedResponse {
  const restored = restoreOpening(text, reply.opening);
  const read: ReadMessage = reply.read?.(restored, stop) ?? { content: restored };
  return {
    message: { role: "assistant", ...read },
    termination: stop === reply.endOfText ? "eos" : "stop_sequence",
    failure: read.unparsed_tool_calls === undefined ? null : "content",
  };
}

/** A message that did not end: its text is kept as it is, for who knows what it would have become. */
function unfinished(reply: Reply, text: string): ParsedResponse {
  return {
    message: { role: "assistant", content: restoreOpening(text, reply.opening) },
    termination: "malformed",
    failure: "structural",
  };
}

/** The model's words behind what its prompt had begun. */
function restoreOpening(text: string, opening = ""): string {
  return text.includes("</think>") && !text.startsWith("<think>") ? opening + text : text;
}
