import type { FailedTry } from "@tinkex/base";
import { errorCode } from "../errors/error-code.js";
import { isNotConnected } from "../errors/network-error.js";
import type { TryOutcome } from "../errors/try-outcome.js";

/** Most earlier tries kept on an error: the latest, and the first that may have arrived. */
export const MAX_EARLIER_TRIES = 10;

/**
 * Adds a failed try to those of its call. Of more than ten the oldest goes, but never the first that may have arrived:
 * by it a save that is then answered 409 is known to be our own success.
 */
export function noteEarlierTry(tries: FailedTry[], next: FailedTry): void {
  tries.push(next);
  if (tries.length <= MAX_EARLIER_TRIES) return;
  const firstArrived = tries.findIndex(({ mayHaveArrived }) => mayHaveArrived);
  tries.splice(firstArrived === 0 ? 1 : 0, 1);
}

/** Tells whether the service may have done what a failed try asked for. An answer of 4xx says that it has not. */
export function mayHaveArrived(outcome: TryOutcome): boolean {
  switch (outcome.kind) {
    case "answer":
      return outcome.status < 400 || outcome.status >= 500;
    case "timed_out":
      return outcome.waitingFor !== "a connection";
    case "broken":
      // The empty 400 is that of the proxy in front of the service.
      return (
        outcome.isUnsent !== true &&
        errorCode(outcome.cause) !== "EMPTY_400" &&
        !isNotConnected(outcome.cause)
      );
  }
}
