import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@tinkex/types";

/** What waiting for other processes and retrying need of a clock. */
export type WaitingClock = Pick<Clock, "now" | "sleep">;

/** The machine's clock. */
export const systemClock: WaitingClock = {
  now: () => Date.now(),
  sleep: (ms, signal, options) =>
    sleep(ms, undefined, { ref: options?.background !== true, ...(signal === undefined ? {} : { signal }) }),
};
