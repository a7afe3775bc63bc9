import {
  ApiStatusError,
  ConnectionError,
  errorMessage,
  ResponseError,
  TimeoutError,
  type TransportResponse,
} from "@tinkex/base";
import { namesProtobuf } from "@tinkex/wire";
import { firstByte } from "../session/first-byte.js";

/** An operation's place in the service's queue. */
export interface PlaceInQueue {
  readonly queue_state?: string;
  readonly queue_state_reason?: string;
  readonly retry_after_ms?: number;
}

/** Reads the body of a 408; `undefined` for other failures, and for one whose body is no JSON object. */
export function placeInQueue(error: unknown): PlaceInQueue | undefined {
  if (!(error instanceof ApiStatusError) || error.status !== 408) return undefined;
  const { body } = error;
  if (typeof body !== "object" || body === null) return undefined;
  return {
    ...("queue_state" in body && typeof body.queue_state === "string" && body.queue_state !== ""
      ? { queue_state: body.queue_state }
      : {}),
    ...("queue_state_reason" in body && typeof body.queue_state_reason === "string"
      ? { queue_state_reason: body.queue_state_reason }
      : {}),
    ...("retry_after_ms" in body && typeof body.retry_after_ms === "number"
      ? { retry_after_ms: body.retry_after_ms }
      : {}),
  };
}

/**
 * The meaning of a poll that brought no result:
 *
 * - `pending`: not done. Ask again, paced so that a server that does not hold polls is spared.
 * - `back_off`: the connection is not well, or the service asks for quiet.
 * - `failing`: the service is not well, or a proxy answers in its place. Ask again, for some minutes.
 * - `doubtful`: an odd answer of the API. Ask again a few times, then give up with its error.
 * - `final`: nothing will come of it.
 */
export type PollFailure = "pending" | "back_off" | "failing" | "doubtful" | "final";

/** Reads the failure of one poll. */
export function classifyPollFailure(error: unknown): PollFailure {
  if (error instanceof ConnectionError) return "back_off";
  // The server held the poll longer than one request may take.
  if (error instanceof TimeoutError) return "pending";
  if (error instanceof UnreadablePollError) return "failing";
  // Bytes that were damaged: asking again may give it.
  if (error instanceof ResponseError) return "doubtful";
  return error instanceof ApiStatusError ? classifyStatus(error.status) : "final";
}

function classifyStatus(status: number): PollFailure {
  if (status === 429) return "back_off";
  if (status === 408) return "pending";
  // "Later" (425) is said as 503 is.
  if (status === 425 || (status >= 500 && status < 600)) return "failing";
  // The refusals of a proxy in front of the service come as broken connections, until there have been too many of them.
  return status === 400 ? "doubtful" : "final";
}

/** Describes a connection that is not well, for log lines. */
export function describeTrouble(error: unknown): string {
  const isBusy = error instanceof ApiStatusError && error.status === 429;
  return isBusy ? "the service asked for quiet (429)" : errorMessage(error);
}

/** A poll was answered with something that is no record at all: most often the page of a proxy on the way. */
export class UnreadablePollError extends ResponseError {
  static override readonly name: string = "ResponseError";
}

const OPENING_BRACE = 0x7b;

/** Tells whether an answer begins as the API's do: protobuf by its type, JSON by its brace. */
export function beginsAsRecord({ headers, body }: TransportResponse): boolean {
  if (namesProtobuf(headers["content-type"])) return true;
  return firstByte(body) === OPENING_BRACE;
}
