import type { FailedTry } from "@tinkex/base";

/** Most earlier tries kept on an error: the latest, and the first that may have arrived. */
export const MOST_EARLIER_TRIES = 10;

/**
 * Adds a failed try to those of its call. Of more than ten the oldest goes, but never the first that may have arrived:
 * by it a save that is then answered 409 is known to be our own success.
 */
export function noteEarlierTry(tries: FailedTry[], next: FailedTry): void {
  tries.push(next);
  if (tries.length <= MOST_EARLIER_TRIES) return;
  const firstArrived = tries.findIndex(({ mayHaveArrived }) => mayHaveArrived);
  tries.splice(firstArrived === 0 ? 1 : 0, 1);
}
