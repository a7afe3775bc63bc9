import { checkKnownNames, ValidationError } from "@tinkex/base";
import type { RendererTokenizer } from "../pieces/renderer-tokenizer.js";
import { createHoldingDecoder } from "./holding-decoder.js";
import { finished, stopTokens } from "./parse-reply.js";
import type { Reply } from "./reply.js";
import type { ResponseEvent, ResponseStream, ResponseStreamOptions } from "./response-stream.js";
import { createThinkSplitter } from "./think-splitter.js";

/**
 * Reads a response token by token.
 *
 * @throws ValidationError when the family does not stream
 */
export function streamReply(
  reply: Reply,
  tokenizer: RendererTokenizer,
  name: string,
  options: ResponseStreamOptions = {},
): ResponseStream {
  checkKnownNames(options, { startsInThinking: true }, "the options of parseResponseStreaming");
  const { streaming } = reply;
  if (streaming === undefined) {
    throw new ValidationError(`${name} does not stream; collect the tokens and use parseResponse`);
  }
  const stops = stopTokens(reply, tokenizer);
  const decoder = createHoldingDecoder(tokenizer);
  const startsInThinking = options.startsInThinking ?? streaming.startsInThinking ?? false;
  const splitter = createThinkSplitter(startsInThinking ? (reply.opening ?? "<think>") : "");
  const ids: number[] = [];
  let hasBegun = false;
  let hasEnded = false;

  const begin = (): ResponseEvent[] => {
    if (hasBegun) return [];
    hasBegun = true;
    return [{ type: "header", role: "assistant" }];
  };
  const finish = (stop: string | undefined): ResponseEvent[] => {
    hasEnded = true;
    const rest = [...splitter.push(decoder.end()), ...splitter.end()];
    const parsed = finished(reply, tokenizer.decode(ids), stop ?? "");
    return [
      ...rest,
      {
        type: "message",
        ...(stop === undefined ? { ...parsed, termination: "malformed", failure: "structural" } : parsed),
      },
    ];
  };

  return {
    push(pushed) {
      const events: ResponseEvent[] = [];
      for (const id of typeof pushed === "number" ? [pushed] : Array.from(pushed)) {
        if (hasEnded) break;
        events.push(...begin());
        const stop = stops.get(id);
        if (stop !== undefined) {
          events.push(...finish(stop));
        } else {
          ids.push(id);
          events.push(...splitter.push(decoder.push(id)));
        }
      }
      return events;
    },
    end: () => (hasEnded ? [] : [...begin(), ...finish(undefined)]),
  };
}
