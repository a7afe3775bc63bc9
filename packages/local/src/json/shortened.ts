/** Longest piece of a sender's own words in an answer or a message, in characters. */
const MAX_SHOWN = 1_000;

/** Cuts text that holds what somebody else has sent, so that a message is small whatever it quotes. */
export function shortened(text: string, maxLength: number = MAX_SHOWN): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}
