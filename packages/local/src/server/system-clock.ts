import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@tinkex/types";

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      // Node wraps the reason in an AbortError of its own; the contract is the reason itself.
      throw signal?.aborted ? signal.reason : error;
    }
  },
};
