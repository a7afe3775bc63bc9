import { faultWord } from "./network-error.js";
import type { TryOutcome } from "./try-outcome.js";

/** How a try ended, in a few words: for log lines, hooks and the list of earlier tries. */
export function describeOutcome(outcome: TryOutcome): string {
  switch (outcome.kind) {
    case "answer":
      return `answered ${outcome.status}`;
    case "timed_out":
      return `waited ${outcome.limitMs} ms for ${outcome.waitingFor}`;
    case "broken":
      return faultWord(outcome.cause);
  }
}
