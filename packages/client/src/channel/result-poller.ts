import {
  ApiStatusError,
  BACKOFFS,
  BackoffCounter,
  type ByteBudget,
  type Clock,
  ConnectionError,
  errorMessage,
  type Release,
  RequestFailedError,
  ResponseError,
  TimeoutError,
  visibleText,
} from "@tinkex/base";
import { parseRetryHint } from "@tinkex/http";
import type { FutureOutcome, Records } from "@tinkex/types";
import { acceptFor, decodeFutureResult, type FutureResultName } from "@tinkex/wire";
import type { OperationContext, QueueStateEvent } from "../future/operation-context.js";
import type { ApiCalls } from "../session/api-calls.js";
import type { QueueStateLog } from "./queue-state-log.js";

/** The parts of its session that retrieving results works with. */
export interface RetrieveEnvironment {
  readonly calls: ApiCalls;
  readonly clock: Clock;
  readonly random: () => number;
  /** Bounds the large results that are fetched at one time. */
  readonly responseBudget: ByteBudget;
  /** Tells whether the server can announce a large result before it sends it. */
  readonly announcesLargeResults: boolean;
  /** Makes a server's words fit for messages and log lines. @defaultValue escapes control characters */
  readonly shownText?: ((text: string) => string) | undefined;
  /** Told when the waiting is troubled, and goes on. */
  onTrouble(message: string): void;
}

/** One result to wait for. */
export interface RetrieveRequest<Name extends FutureResultName> {
  readonly requestId: string;
  readonly resultName: Name;
  /** The operation by its name on the wire, e.g. `ForwardBackward`. */
  readonly requestType: string;
  /** Seconds from the start of the operation until it was accepted. */
  readonly roundtripS: number;
  /** The operation that waits for it. */
  readonly context: Pick<OperationContext, "name" | "onBehalfOf" | "signal" | "queueState">;
  /** Logs pauses of the client that waits. */
  readonly log: Pick<QueueStateLog, "note">;
}

/** The service wants to be left alone, perhaps for a time it says. */
interface Busy {
  readonly state: "busy";
  readonly pauseMs: number | undefined;
}

/** The state of work in the service's queue, fit to be shown. */
type QueueReport = Pick<QueueStateEvent, "state" | "reason">;

const ACTIVE: QueueReport = { state: "active", reason: undefined };

/** Odd answers to one operation's polls after which the next one counts. */
const MAX_DOUBTS = 3;
/** A poll held this long shows that the server makes the client wait by itself. */
const HELD_MS = 1_000;

/** Waits for one result: polls until it is there. */
export class ResultPoller<Name extends FutureResultName> {
  readonly #environment: RetrieveEnvironment;
  readonly #request: RetrieveRequest<Name>;
  /** Pauses after polls that end at once without a result, from the start again once a poll was held. */
  #pause: BackoffCounter | undefined;
  /** Pauses after polls that met a broken connection or 429, from the start again after any other answer. */
  #backoff: BackoffCounter | undefined;
  #iteration = 0;
  #doubts = 0;
  #allowsMetadataOnly = true;
  #release: Release | undefined;
  #state: string | undefined;
  #reason: string | undefined;

  constructor(environment: RetrieveEnvironment, request: RetrieveRequest<Name>) {
    this.#environment = environment;
    this.#request = request;
  }

  /**
   * @throws RequestFailedError when the work failed; ApiStatusError or ResponseError when its result is not to be had; the
   * reason of the request's signal
   */
  async result(): Promise<Records[Name]> {
    const { signal } = this.#request.context;
    try {
      for (;;) {
        signal.throwIfAborted();
        const startedAtMs = this.#environment.clock.monotonic();
        const answer = await this.#poll().catch((error: unknown) => ({ state: "no answer", error }) as const);
        signal.throwIfAborted();
        const heldMs = this.#environment.clock.monotonic() - startedAtMs;
        if (answer.state === "no answer") {
          await this.#afterFailure(answer.error, heldMs);
          continue;
        }
        if (answer.state === "busy") {
          await this.#backOff(answer.pauseMs, "the service asked for quiet (429)");
          continue;
        }
        this.#backoff?.reset();
        // The API itself has answered, so what was odd before is over.
        this.#doubts = 0;
        if (answer.state === "complete" || answer.state === "failed") return this.#finish(answer);
        if (answer.state === "metadata_only") await this.#makeRoom(answer.response_payload_size);
        else await this.#afterPending(answer, heldMs);
      }
    } finally {
      this.#release?.();
    }
  }

  async #poll(): Promise<FutureOutcome<Records[Name]> | Busy> {
    const { requestId, resultName, requestType, roundtripS, context } = this.#request;
    const iteration = this.#iteration;
    this.#iteration += 1;
    const { calls, announcesLargeResults } = this.#environment;
    const request = {
      request_id: requestId,
      allow_metadata_only: announcesLargeResults ? this.#allowsMetadataOnly : undefined,
    };
    const body = calls.encode("retrieve_future", request, { isChecked: true });
    const response = await calls.post("retrieve_future", body, {
      onBehalfOf: context.onBehalfOf,
      signal: context.signal,
      accept: acceptFor(resultName, "protobuf"),
      headers: {
        "x-tinker-request-iteration": String(iteration),
        "x-tinker-request-type": requestType,
        ...(iteration === 0 ? { "x-tinker-create-promise-roundtrip-time": String(roundtripS) } : {}),
      },
      returnStatuses: [429],
    });
    if (response.status === 429) {
      const hint = parseRetryHint(response.headers, this.#environment.clock.now());
      return { state: "busy", pauseMs: hint?.delayMs };
    }
    return decodeFutureResult(resultName, response);
  }

  /** Waits before the next poll, or throws when there is no point in one. */
  async #afterFailure(error: unknown, heldMs: number): Promise<void> {
    const { clock } = this.#environment;
    const meaning = classifyPollFailure(error);
    if (meaning === "final") throw this.#explain(error);
    if (meaning === "back_off") return this.#backOff(undefined, errorMessage(error));
    this.#backoff?.reset();
    if (meaning === "doubtful") this.#doubts += 1;
    if (this.#doubts > MAX_DOUBTS) throw this.#explain(error);
    const place = placeInQueue(error);
    if (place !== undefined) {
      // The API itself has answered, so what was odd before is over.
      this.#doubts = 0;
      if (place.queue_state !== undefined) this.#report(place.queue_state, place.queue_state_reason);
    }
    return clock.sleep(this.#nextPauseMs(heldMs), this.#request.context.signal);
  }

  #nextPauseMs(heldMs: number): number {
    if (heldMs > HELD_MS) this.#pause?.reset();
    this.#pause ??= new BackoffCounter(BACKOFFS.poll, this.#environment.random);
    return this.#pause.nextMs();
  }

  /** Leaves the service alone for as long as it asked, or for ever longer pauses of our own. */
  #backOff(askedMs: number | undefined, reason: string): Promise<void> {
    const { requestId, context } = this.#request;
    this.#backoff ??= new BackoffCounter(BACKOFFS.brokenPoll, this.#environment.random);
    const waitMs = askedMs ?? this.#backoff.nextMs();
    this.#environment.onTrouble(
      `waiting for ${context.name} (request ${requestId}), asking again in ${waitMs / 1000} s: ${reason}`,
    );
    return this.#environment.clock.sleep(waitMs, context.signal);
  }

  #afterPending(answer: PlaceInQueue, heldMs: number): Promise<void> {
    const { queue_state: state, queue_state_reason: reason } = answer;
    if (state !== undefined || reason !== undefined) this.#report(state ?? "unknown", reason);
    return this.#environment.clock.sleep(this.#nextPauseMs(heldMs), this.#request.context.signal);
  }

  /** A large result was announced: it is fetched once it fits beside those that are being fetched. */
  async #makeRoom(bytes: number): Promise<void> {
    const { requestId, context } = this.#request;
    if (!this.#allowsMetadataOnly) {
      throw new ResponseError(`the service announced the result of ${requestId} twice and did not send it`);
    }
    this.#allowsMetadataOnly = false;
    this.#release = await this.#environment.responseBudget.acquire(bytes, context.signal);
  }

  #finish(
    outcome: Extract<FutureOutcome<Records[Name]>, { readonly state: "complete" | "failed" }>,
  ): Records[Name] {
    // Whatever paused the work is over, even if no poll said so.
    if (this.#state !== undefined && this.#state !== "active") this.#request.log.note(ACTIVE);
    this.#tell(ACTIVE);
    if (outcome.state === "complete") return outcome.result;
    const { requestId, context } = this.#request;
    throw new RequestFailedError(
      `${context.name} failed on the service: ${this.#shownText(outcome.error)} (request ${requestId})`,
      {
        requestId,
        category: outcome.category,
      },
    );
  }

  /** Tells the log of every report, as it counts how long a pause lasts. */
  #report(queueState: string, queueReason: string | undefined): void {
    const state = this.#shownText(queueState);
    const reason = queueReason === undefined ? undefined : this.#shownText(queueReason);
    this.#request.log.note({ state, reason });
    this.#tell({ state, reason });
  }

  /** Tells the future of a state or reason that has changed. */
  #tell({ state, reason }: QueueReport): void {
    if (state === this.#state && reason === this.#reason) return;
    this.#state = state;
    this.#reason = reason;
    const { requestId, requestType, context } = this.#request;
    context.queueState({ state, reason, requestId, requestType });
  }

  #shownText(text: string): string {
    const { shownText = visibleText } = this.#environment;
    return shownText(text);
  }

  /** The error that ends the waiting, with the operation it was about. */
  #explain(error: unknown): unknown {
    if (!(error instanceof ApiStatusError)) return error;
    const { code, retryable, status, body, attempts, earlierTries } = error;
    const { requestId, context } = this.#request;
    const what = status === 410 ? "the service no longer knows it (expired or lost)" : error.message;
    return new ApiStatusError(`no result of ${context.name} (request ${requestId}): ${what}`, {
      code,
      retryable,
      cause: error,
      status,
      body,
      attempts,
      earlierTries,
      requestId: error.requestId,
    });
  }
}

/** An operation's place in the service's queue. */
interface PlaceInQueue {
  readonly queue_state?: string;
  readonly queue_state_reason?: string;
}

/** Reads the body of a 408; `undefined` for other failures, and for one whose body is no JSON object. */
function placeInQueue(error: unknown): PlaceInQueue | undefined {
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
  };
}

/**
 * The meaning of a poll that brought no result:
 *
 * - `pending`: not done. Ask again, paced so that a server that does not hold polls is spared.
 * - `back_off`: the connection is not well.
 * - `doubtful`: an odd answer. Ask again a few times, then give up with its error.
 * - `final`: nothing will come of it.
 */
type PollFailure = "pending" | "back_off" | "doubtful" | "final";

/** Reads the failure of one poll. */
function classifyPollFailure(error: unknown): PollFailure {
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
