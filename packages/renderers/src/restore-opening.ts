/**
 * Gives a response the opening of the thinking block that stood in its prompt, where it goes on thinking: it closes a block
 * that it does not open first.
 */
export function restoreOpening(text: string, opening: string): string {
  return text.includes("</think>") && !text.startsWith("<think>") ? opening + text : text;
}
