import type { ResponseEvent } from "./response-stream.js";

const OPEN = "<think>";
const CLOSE = "</think>";

/**
 * Tells thinking from text while both come in. Text that may be the beginning of a tag is held back. Each tag counts the index
 * up by one.
 *
 * @param opening - the text with which the prompt began the message, such as `<think>\n`; a message that begins with a tag of its own
 * is taken as it is
 */
export function createThinkSplitter(opening: string): {
  push(text: string): ResponseEvent[];
  end(): ResponseEvent[];
} {
  let isThinking = false;
  let index = 0;
  let held = "";
  let pending = opening;

  const event = (text: string): ResponseEvent[] => {
    if (text === "") return [];
    return [isThinking ? { type: "thinking", thinking: text, index } : { type: "text", text, index }];
  };
  const split = (): ResponseEvent[] => {
    const events: ResponseEvent[] = [];
    for (;;) {
      const tag = isThinking ? CLOSE : OPEN;
      const at = held.indexOf(tag);
      if (at === -1) break;
      events.push(...event(held.slice(0, at)));
      held = held.slice(at + tag.length);
      isThinking = !isThinking;
      index += 1;
    }
    const kept = lengthOfBeginning(held, isThinking ? CLOSE : OPEN);
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

/** Counts the characters at the end of `text` that could be the beginning of `tag`. */
function lengthOfBeginning(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
