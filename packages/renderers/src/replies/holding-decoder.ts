import type { RendererTokenizer } from "../pieces/renderer-tokenizer.js";

/** A character takes four tokens at most; more are held back only where tokens are no text at all, and not for ever. */
const MAX_HELD = 16;

/**
 * Turns tokens that come one by one into text. A whole token is held back where only its end is unfinished, so that what is given
 * out begins and ends with a token.
 */
export function createHoldingDecoder(tokenizer: Pick<RendererTokenizer, "decode">): {
  push(id: number): string;
  end(): string;
} {
  let held: number[] = [];
  const release = (text: string): string => {
    held = [];
    return text;
  };
  return {
    push(id) {
      held.push(id);
      const text = tokenizer.decode(held);
      return text.endsWith("\uFFFD") && held.length < MAX_HELD ? "" : release(text);
    },
    end: () => release(held.length === 0 ? "" : tokenizer.decode(held)),
  };
}
