import type { UnparsedToolCall } from "../messages/message.js";
import type { BlockTags } from "./find-blocks.js";

/**
 * Finds the last call of a text that opens more calls than it closes, also where it stands in another, so that what the model meant
 * to do is not lost in the text. Of several kinds of tags the first one counts.
 */
export function unclosedCall(text: string, kinds: readonly BlockTags[]): UnparsedToolCall | undefined {
  const kind = kinds.find(({ open, close }) => countOf(text, open) > countOf(text, close));
  if (kind === undefined) return undefined;
  return { raw_text: text.slice(text.lastIndexOf(kind.open)), error: `there is no ${kind.close} behind it` };
}

/** Counts how often a part stands in a text. */
export function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}
