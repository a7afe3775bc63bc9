import { ApiStatusError } from "@tinkex/base";

/**
 * Tells whether a refusal says that what was asked for is so already, behind a try of the same call whose answer was lost or was an
 * error of the server. The state that the caller wants is there then, and most likely by that try.
 *
 * @param status - the refusal's, e.g. 404 of a deletion
 */
export function isDoneByEarlierTry(error: unknown, status: number): boolean {
  return error instanceof ApiStatusError && error.status === status && error.mayHaveArrived;
}
