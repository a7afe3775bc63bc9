import { ApiStatusError, ConnectionError, ResponseError, TimeoutError } from "@tinkex/base";

/**
 * What a poll that brought no result means:
 *
 * - `pending`: not done. Ask again, paced so that a server that does not hold polls is spared.
 * - `back_off`: the connection is not well.
 * - `doubtful`: an odd answer. Ask again a few times, then give up with its error.
 * - `final`: nothing will come of it.
 */
export type PollFailure = "pending" | "back_off" | "doubtful" | "final";

/** Reads the failure of one poll. */
export function classifyPollFailure(error: unknown): PollFailure {
  if (error instanceof ConnectionError) return "back_off";
  // The server held the poll longer than one request may take.
  if (error instanceof TimeoutError) return "pending";
  // A proxy's page in place of the answer, or bytes that were damaged: asking again may give it.
  if (error instanceof ResponseError) return "doubtful";
  return error instanceof ApiStatusError ? classifyStatus(error.status) : "final";
}

function classifyStatus(status: number): PollFailure {
  if (status === 408 || (status >= 500 && status < 600)) return "pending";
  // The refusals of a proxy in front of the service come as broken connections, until there have been too many of them.
  return status === 400 ? "doubtful" : "final";
}
