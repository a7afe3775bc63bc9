import {
  ApiStatusError,
  type Clock,
  type FutureOutcome,
  type HttpTransport,
  RequestFailedError,
  ResponseError,
  type TransportResponse,
} from "@tinkex/types";
import type { QueueStateEvent } from "../future/queue-state-event.js";
import type { ByteBudget } from "../queue/byte-budget.js";
import type { Release } from "../queue/release.js";
import { classifyPollFailure } from "./poll-failure.js";
import { PollPause } from "./poll-pause.js";
import { RetryBackoff } from "./retry-backoff.js";

/** What retrieving needs besides the request. */
export interface RetrieveEnvironment {
  readonly transport: HttpTransport;
  readonly clock: Clock;
  readonly random: () => number;
  /** Bounds the large results that are fetched at one time. */
  readonly responseBudget: ByteBudget;
}

/** One result to wait for. */
export interface RetrieveRequest<Result> {
  readonly requestId: string;
  /** The operation by its name on the wire, e.g. `ForwardBackward`. */
  readonly requestType: string;
  /** Seconds from the start of the operation until it was accepted. */
  readonly roundtripS: number;
  /** Body of a poll. `allowMetadataOnly`: a large result may be announced by its size first. */
  encodePoll(requestId: string, allowMetadataOnly: boolean): Uint8Array;
  readonly accept: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Reads the answer of a success. */
  decode(response: TransportResponse): FutureOutcome<Result>;
  onQueueState(event: QueueStateEvent): void;
  readonly signal: AbortSignal;
}

/** Doubtful answers in a row after which the next one counts. */
const MOST_DOUBTS = 3;

/**
 * Polls until the result is there.
 *
 * @throws RequestFailedError when the work failed; ApiStatusError, ResponseError when there is no result to be had; the reason
 * of `signal`
 */
export async function retrieveResult<Result>(
  environment: RetrieveEnvironment,
  request: RetrieveRequest<Result>,
): Promise<Result> {
  const { requestId, requestType, signal } = request;
  const { clock } = environment;
  const pause = new PollPause(environment.random);
  const backoff = new RetryBackoff();
  let doubts = 0;
  let allowMetadataOnly = true;
  let release: Release | undefined;
  const report = (state: string, reason?: string): void =>
    request.onQueueState({ state, reason, requestId, requestType });

  try {
    for (let iteration = 0; ; iteration += 1) {
      signal.throwIfAborted();
      const startedAtMs = clock.monotonic();
      const answer = await poll(environment, request, iteration, allowMetadataOnly);
      signal.throwIfAborted();
      const heldMs = clock.monotonic() - startedAtMs;

      if (answer.kind === "failure") {
        const meaning = classifyPollFailure(answer.error);
        if (meaning === "final") throw explain(answer.error, requestId, requestType);
        if (meaning === "back_off") {
          await clock.sleep(backoff.next(), signal);
          continue;
        }
        backoff.reset();
        const place = queueStateOf(answer.error);
        if (meaning === "doubtful") {
          doubts += 1;
          if (doubts > MOST_DOUBTS) throw explain(answer.error, requestId, requestType);
        } else if (place !== undefined) {
          doubts = 0;
          if (place.state !== undefined) report(place.state, place.reason);
        }
        await clock.sleep(pause.next(heldMs), signal);
        continue;
      }

      backoff.reset();
      const { outcome } = answer;
      if (outcome.state === "complete") {
        report("active");
        return outcome.result;
      }
      if (outcome.state === "failed") {
        report("active");
        throw new RequestFailedError(
          `${requestType} failed on the service: ${outcome.error} (request ${requestId})`,
          {
            requestId,
            category: outcome.category,
          },
        );
      }
      if (outcome.state === "metadata_only") {
        if (!allowMetadataOnly) {
          throw new ResponseError(`the service announced the result of ${requestId} twice and never sent it`);
        }
        allowMetadataOnly = false;
        release = await environment.responseBudget.acquire(outcome.response_payload_size, signal);
        continue;
      }
      if (outcome.queue_state !== undefined || outcome.queue_state_reason !== undefined) {
        report(outcome.queue_state ?? "unknown", outcome.queue_state_reason);
      }
      await clock.sleep(pause.next(heldMs), signal);
    }
  } finally {
    release?.();
  }
}

type PollAnswer<Result> =
  | { readonly kind: "outcome"; readonly outcome: FutureOutcome<Result> }
  | { readonly kind: "failure"; readonly error: unknown };

async function poll<Result>(
  environment: RetrieveEnvironment,
  request: RetrieveRequest<Result>,
  iteration: number,
  allowMetadataOnly: boolean,
): Promise<PollAnswer<Result>> {
  const { requestId, requestType, roundtripS, headers, accept, signal } = request;
  try {
    const response = await environment.transport.call({
      operation: "retrieve_future",
      body: request.encodePoll(requestId, allowMetadataOnly),
      accept,
      headers: {
        ...headers,
        "x-tinker-request-iteration": String(iteration),
        "x-tinker-request-type": requestType,
        ...(iteration === 0 ? { "x-tinker-create-promise-roundtrip-time": String(roundtripS) } : {}),
      },
      signal,
    });
    return { kind: "outcome", outcome: request.decode(response) };
  } catch (error) {
    return { kind: "failure", error };
  }
}

/** What a 408 says of the queue; `undefined` when its body is no JSON object. */
function queueStateOf(error: unknown): { readonly state?: string; readonly reason?: string } | undefined {
  if (!(error instanceof ApiStatusError) || error.status !== 408) return undefined;
  const { body } = error;
  if (typeof body !== "object" || body === null) return undefined;
  const state = "queue_state" in body && typeof body.queue_state === "string" ? body.queue_state : undefined;
  const reason =
    "queue_state_reason" in body && typeof body.queue_state_reason === "string"
      ? body.queue_state_reason
      : undefined;
  return {
    ...(state === undefined || state === "" ? {} : { state }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** The error of a poll that ends the waiting, with the operation it was about. */
function explain(error: unknown, requestId: string, requestType: string): unknown {
  if (!(error instanceof ApiStatusError)) return error;
  const what =
    error.status === 410 ? "the service no longer knows this operation (expired or lost)" : error.message;
  return new ApiStatusError(`no result of ${requestType} (request ${requestId}): ${what}`, {
    code: error.code,
    retryable: error.retryable,
    cause: error,
    status: error.status,
    body: error.body,
    attempts: error.attempts,
  });
}
