import {
  ApiStatusError,
  BACKOFFS,
  BackoffCounter,
  type ByteBudget,
  type Clock,
  describeValue,
  errorMessage,
  type Release,
  RequestFailedError,
  ResponseError,
  type TransportResponse,
  visibleText,
} from "@tinkex/base";
import type { FutureOutcome, Records } from "@tinkex/types";
import { acceptFor, decodeFutureResult, type FutureResultName } from "@tinkex/wire";
import type { OperationContext, QueueStateEvent } from "../future/operation-context.js";
import type { ApiCalls } from "../session/api-calls.js";
import { detailOf } from "../session/session-lost-error.js";
import type { BatchPoller } from "./batch-poller.js";
import {
  beginsAsRecord,
  classifyPollFailure,
  describeTrouble,
  type PlaceInQueue,
  placeInQueue,
  UnreadablePollError,
} from "./poll-failure.js";
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
  /** Milliseconds without one good answer to a poll after which its result is given up. */
  readonly maxFailingMs: number;
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
  readonly context: Pick<
    OperationContext,
    "name" | "onBehalfOf" | "signal" | "queueState" | "isAwaited" | "stillWaiting"
  >;
  /** Waits until the result is there, without polling for it alone. */
  readonly batch?: BatchPoller | undefined;
  /** Logs pauses of the client that waits. */
  readonly log: Pick<QueueStateLog, "note">;
}

/** The state of work in the service's queue, fit to be shown. */
type QueueReport = Pick<QueueStateEvent, "state" | "reason">;

const ACTIVE: QueueReport = { state: "active", reason: undefined };

/** Odd answers to one operation's polls after which the next one counts. */
const MAX_DOUBTS = 3;
/** Longest pause that the service may ask for, in milliseconds. */
const MAX_ASKED_MS = 60_000;
/** A poll held this long shows that the server makes the client wait by itself. */
const HELD_MS = 1_000;

/**
 * The `type` of results that may have no other field, for which every answer would pass. Others are known by the fields that they must
 * have, whatever type a server states.
 */
const BARE_TYPES: Partial<Readonly<Record<FutureResultName, string>>> = {
  OptimStepResponse: "optim_step",
  LoadWeightsResponse: "load_weights",
};

/** A poll that failed, or whose answer says nothing. */
interface NoAnswer {
  readonly state: "no answer";
  readonly error: unknown;
}

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
  #failingSinceMs: number | undefined;
  #allowsMetadataOnly = true;
  #release: Release | undefined;
  #state: string | undefined;
  #reason: string | undefined;

  constructor(environment: RetrieveEnvironment, request: RetrieveRequest<Name>) {
    this.#environment = environment;
    this.#request = request;
  }

  /** Number of the poll that is under way, or was the last, from 0. */
  get iteration(): number {
    return Math.max(0, this.#iteration - 1);
  }

  /**
   * @param onFailure - told of the error, before the promise rejects with it
   * @throws RequestFailedError when the work failed; ApiStatusError or ResponseError when its result is not to be had; the
   * reason of the request's signal
   */
  async result(onFailure?: (error: unknown) => void): Promise<Records[Name]> {
    const { requestId, batch, context } = this.#request;
    const { signal } = context;
    let leaveFetches: Release | undefined;
    try {
      if (requestId === "") throw new ResponseError("the service gave an empty request_id");
      const completion = batch && (await batch.finished(requestId, context));
      // Before bytes of the budget are taken, which those who fetch may wait for.
      if (completion !== undefined) leaveFetches = await batch?.fetching(signal);
      const bytes = completion?.response_payload_uncompressed_size ?? 0;
      if (bytes > 0 && completion?.state !== "failed") await this.#makeRoom(bytes);
      for (;;) {
        signal.throwIfAborted();
        const startedAtMs = this.#environment.clock.monotonic();
        const answer = await this.#poll();
        signal.throwIfAborted();
        const heldMs = this.#environment.clock.monotonic() - startedAtMs;
        if (answer.state === "no answer") {
          await this.#afterFailure(answer.error, heldMs);
          continue;
        }
        // Nothing was odd before the first answer.
        if (this.#iteration > 1) this.#isWell();
        if (answer.state === "complete" || answer.state === "failed") return this.#finish(answer);
        if (answer.state === "metadata_only") await this.#makeRoom(answer.response_payload_size);
        else await this.#afterPending(answer, heldMs);
      }
    } catch (error) {
      onFailure?.(error);
      throw error;
    } finally {
      this.#release?.();
      leaveFetches?.();
    }
  }

  async #poll(): Promise<FutureOutcome<Records[Name]> | NoAnswer> {
    const { requestId, resultName, requestType, roundtripS, context } = this.#request;
    const iteration = this.#iteration;
    this.#iteration += 1;
    const { calls, announcesLargeResults } = this.#environment;
    const request = {
      request_id: requestId,
      allow_metadata_only: announcesLargeResults ? this.#allowsMetadataOnly : undefined,
    };
    const headers: Record<string, string> = {
      "x-tinker-request-iteration": `${iteration}`,
      "x-tinker-request-type": requestType,
    };
    if (iteration === 0) headers["x-tinker-create-promise-roundtrip-time"] = `${roundtripS}`;
    let response: TransportResponse | undefined;
    try {
      const body = calls.encode("retrieve_future", request, { isChecked: true });
      const { onBehalfOf, signal } = context;
      const accept = acceptFor(resultName, "protobuf");
      response = await calls.post("retrieve_future", body, { onBehalfOf, signal, accept, headers });
      const outcome = decodeFutureResult(resultName, response);
      const wanted = BARE_TYPES[resultName];
      if (wanted !== undefined && outcome.state === "complete") checkType(outcome.result, wanted);
      return outcome;
    } catch (error) {
      // An answer that is no record at all says nothing of the result.
      if (response === undefined || beginsAsRecord(response)) return { state: "no answer", error };
      return {
        state: "no answer",
        error: new UnreadablePollError(errorMessage(error), { cause: error }),
      };
    }
  }

  /** Waits before the next poll, or throws when there is no point in one. */
  async #afterFailure(error: unknown, heldMs: number): Promise<void> {
    const meaning = classifyPollFailure(error);
    if (meaning === "final") throw this.#explain(error);
    const askedMs = error instanceof ApiStatusError ? error.retryAfterMs : undefined;
    if (meaning === "back_off" || meaning === "failing") {
      this.#request.context.onBehalfOf.tryFailed?.(describeTrouble(error));
    }
    if (meaning === "back_off") return this.#backOff(askedMs, describeTrouble(error));
    this.#backoff?.reset();
    if (meaning === "doubtful") this.#doubts += 1;
    if (this.#doubts > MAX_DOUBTS) throw this.#explain(error);
    if (meaning === "failing") {
      this.#noteFailing(error);
      return this.#pauseFor(askedMs ?? this.#nextPauseMs(heldMs));
    }
    const place = placeInQueue(error);
    if (place === undefined) return this.#pauseFor(askedMs ?? this.#nextPauseMs(heldMs));
    // The API itself has answered, so what was odd before is over.
    this.#isWell();
    if (place.queue_state !== undefined) this.#report(place.queue_state, place.queue_state_reason);
    return this.#pauseFor(pauseAsked(place.retry_after_ms) ?? askedMs ?? this.#nextPauseMs(heldMs));
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
      `waiting for ${context.name} (request ${requestId}), asking again in ${(waitMs / 1000).toFixed(1)} s: ${reason}`,
    );
    return this.#pauseFor(waitMs);
  }

  /** Waits between two polls, of which the first gave no result. */
  #pauseFor(ms: number): Promise<void> {
    const { context } = this.#request;
    context.stillWaiting();
    return this.#environment.clock.sleep(ms, context.signal, { background: !context.isAwaited() });
  }

  /** @throws the error that is the last, when no poll has had a good answer for too long */
  #noteFailing(error: unknown): void {
    const { clock, maxFailingMs, onTrouble } = this.#environment;
    const nowMs = clock.monotonic();
    this.#failingSinceMs ??= nowMs;
    const failingMs = nowMs - this.#failingSinceMs;
    const { requestId, context } = this.#request;
    const seconds = Math.round(failingMs / 1000);
    if (failingMs >= maxFailingMs)
      throw this.#explain(error, `; given up after ${seconds} s without a good answer`);
    onTrouble(
      `waiting for ${context.name} (request ${requestId}), whose polls have failed for ${seconds} s: ${errorMessage(error)}`,
    );
  }

  /** The API itself has answered, so what was odd before is over. */
  #isWell(): void {
    this.#request.context.onBehalfOf.tryFailed?.(undefined);
    this.#backoff?.reset();
    this.#doubts = 0;
    this.#failingSinceMs = undefined;
  }

  #afterPending(answer: PlaceInQueue, heldMs: number): Promise<void> {
    const { queue_state: state, queue_state_reason: reason } = answer;
    if (state !== undefined || reason !== undefined) this.#report(state ?? "unknown", reason);
    return this.#pauseFor(pauseAsked(answer.retry_after_ms) ?? this.#nextPauseMs(heldMs));
  }

  /** A large result was announced: it is fetched once it fits beside those that are being fetched. */
  async #makeRoom(bytes: number): Promise<void> {
    const { requestId, context } = this.#request;
    if (!this.#allowsMetadataOnly) {
      throw new ResponseError(`the service announced the result of ${requestId} twice and did not send it`);
    }
    this.#allowsMetadataOnly = false;
    const { responseBudget } = this.#environment;
    this.#release = responseBudget.tryAcquire(bytes) ?? (await responseBudget.acquire(bytes, context.signal));
  }

  #finish(
    outcome: Extract<FutureOutcome<Records[Name]>, { readonly state: "complete" | "failed" }>,
  ): Records[Name] {
    // Whatever paused the work is over, even if no poll said so.
    this.#request.batch?.retrieved(this.#request.requestId);
    if (this.#state !== undefined && this.#state !== "active") this.#request.log.note(ACTIVE);
    this.#tell(ACTIVE);
    if (outcome.state === "complete") return outcome.result;
    const { requestId, context } = this.#request;
    throw new RequestFailedError(
      `${context.name} failed on the service: ${this.#shownText(outcome.error)} (request ${requestId})`,
      {
        requestId,
        category: outcome.category,
        rawCategory: outcome.raw_category,
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

  #subject(): string {
    return `no result of ${this.#request.context.name} (request ${this.#request.requestId})`;
  }

  /** The error that ends the waiting, with the operation it was about. */
  #explain(error: unknown, remark = ""): unknown {
    if (error instanceof ResponseError && remark !== "") {
      return new ResponseError(`${this.#subject()}: ${error.message}${remark}`, { cause: error });
    }
    if (!(error instanceof ApiStatusError)) return error;
    const { code, retryable, status, body, attempts, earlierTries } = error;
    // A server that has restarted, or another one, answers 404 for what it was never asked.
    const isLost = status === 410 || status === 404;
    const detail = detailOf(error);
    // The work may have been about something that is not there, which the service says with the same status.
    const words = detail === undefined ? "" : `: ${this.#shownText(detail)}`;
    const what = isLost ? `the service no longer knows it (expired or lost)${words}` : error.message;
    return new ApiStatusError(`${this.#subject()}: ${what}${remark}`, {
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

/** Reads a pause of a try-again body: like those of headers, a minute at most. */
function pauseAsked(askedMs: number | undefined): number | undefined {
  return askedMs === undefined || !(askedMs > 0) ? undefined : Math.min(askedMs, MAX_ASKED_MS);
}

/** @throws ResponseError where an answer says that it is of another kind than the result that was asked for */
function checkType(result: object, wanted: string): void {
  const type: unknown = "type" in result ? result.type : undefined;
  if (typeof type !== "string" || type === wanted) return;
  throw new ResponseError(
    `the service gave an answer of type ${describeValue(type)} where the result of ${wanted} was asked for`,
  );
}
