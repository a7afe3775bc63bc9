import { errorCode } from "../errors/error-code.js";
import { isNotConnected } from "../errors/network-error.js";
import type { TryOutcome } from "../errors/try-outcome.js";

/** Whether the service may have done what a failed try asked for. An answer of 4xx says that it has not. */
export function mayHaveArrived(outcome: TryOutcome): boolean {
  switch (outcome.kind) {
    case "answer":
      return outcome.status < 400 || outcome.status >= 500;
    case "timed_out":
      return outcome.waitingFor !== "a connection";
    case "broken":
      // The empty 400 is that of the proxy in front of the service.
      return errorCode(outcome.cause) !== "EMPTY_400" && !isNotConnected(outcome.cause);
  }
}
