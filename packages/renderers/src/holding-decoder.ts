import type { RendererTokenizer } from "./renderer-tokenizer.js";

/** How many tokens at the end may be part of one unfinished character. */
const MOST_UNFINISHED = 8;

/** Turns tokens that come one by one into text, holding back those whose text is not clear yet. */
export function createHoldingDecoder(tokenizer: RendererTokenizer): {
  push(id: number): string;
  end(): string;
} {
  let held: number[] = [];
  const release = (count: number): string => {
    const text = tokenizer.decode(held.slice(0, count));
    held = held.slice(count);
    return text;
  };
  return {
    push(id) {
      held.push(id);
      // A whole token is held, also where only its end is unfinished: events then fall on borders of tokens.
      for (let tail = 0; tail <= MOST_UNFINISHED && tail < held.length; tail++) {
        const count = held.length - tail;
        if (!tokenizer.decode(held.slice(0, count)).endsWith("\uFFFD")) return release(count);
      }
      return "";
    },
    end: () => (held.length === 0 ? "" : release(held.length)),
  };
}
