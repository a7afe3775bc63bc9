import type { ResponseEvent } from "./response-stream.js";

const OPEN = "<think>";
const CLOSE = "</think>";

/**
 * Tells thinking from text while both come in. Text that may be the beginning of a tag is held back. Each tag counts the index
 * up by one.
 *
 * @param opening what the prompt began the message with, such as `<think>\n`; a message that begins with a tag of its own
 * is taken as it is
 */
export function createThinkSplitter(opening: string): {
  push(text: string): ResponseEvent[];
  end(): ResponseEvent[];
} {
  let thinks = false;
  let index = 0;
  let held = "";
  let pending = opening;

  const event = (text: string): ResponseEvent[] => {
    if (text === "") return [];
    return [thinks ? { type: "thinking", thinking: text, index } : { type: "text", text, index }];
  };
  const split = (): ResponseEvent[] => {
    const events: ResponseEvent[] = [];
    for (;;) {
      const tag = thinks ? CLOSE : OPEN;
      const at = held.indexOf(tag);
      if (at === -1) break;
      events.push(...event(held.slice(0, at)));
      held = held.slice(at + tag.length);
      thinks = !thinks;
      index++;
    }
    const kept = lengthOfBeginning(held, thinks ? CLOSE : OPEN);
    events.push(...event(held.slice(0, held.length - kept)));
    held = held.slice(held.length - kept);
    return events;
  };
  /** Begins with the prompt's opening, which the model does not repeat. */
  const open = (): ResponseEvent[] => {
    const own = held;
    held = own.startsWith(OPEN) ? "" : pending;
    pending = "";
    const events = split();
    held += own;
    return events;
  };

  return {
    push(text) {
      held += text;
      if (pending === "") return split();
      const mayBeTag = held.length < OPEN.length && OPEN.startsWith(held);
      return mayBeTag ? [] : [...open(), ...split()];
    },
    end() {
      const opened = pending === "" || held === "" ? [] : open();
      const rest = event(held);
      held = "";
      return [...opened, ...rest];
    },
  };
}

/** How many characters at the end of `text` could be the beginning of `tag`. */
function lengthOfBeginning(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
