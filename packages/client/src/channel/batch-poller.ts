import {
  ApiStatusError,
  BACKOFFS,
  BackoffCounter,
  type Clock,
  ConnectionError,
  type Deferred,
  deferred,
  errorMessage,
  type Logger,
  onAbort,
  type Release,
  ResponseError,
  Semaphore,
  TimeoutError,
  type TransportResponse,
} from "@tinkex/base";
import type { FutureCompletion, FuturesRetrieveRequest, FuturesRetrieveResponse } from "@tinkex/types";
import type { OperationContext } from "../future/operation-context.js";
import type { ApiCalls } from "../session/api-calls.js";
import { EarlyCompletions } from "./early-completions.js";
import { FuturesPollerError } from "./futures-poller-error.js";
import { beginsAsRecord, UnreadablePollError } from "./poll-failure.js";

/** The parts of its session that a batch poller works with. */
export interface BatchEnvironment {
  readonly calls: Pick<ApiCalls, "encode" | "post" | "decode">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  /** Pollers that have something to wait for or to report. */
  readonly active: Set<BatchPoller>;
  /** Ends the polling. */
  readonly closing: AbortSignal;
  /** Milliseconds without one good answer after which the waiting is given up. */
  readonly maxFailingMs: number;
  /** Told when the waiting is troubled, and goes on. */
  onTrouble(message: string): void;
}

/** One who waits for a sample to finish. */
interface Waiter {
  readonly finished: Deferred<FutureCompletion | undefined>;
  readonly context: WaitingContext;
  /** Lets go of the signal. */
  leave(): void;
}

/** The parts of an operation that waiting for its sample works with. */
type WaitingContext = Pick<OperationContext, "signal" | "isAwaited" | "stillWaiting">;

/** Most refusals (400), or records that are not valid, in a row after which the next one counts. */
const MAX_DOUBTS = 3;
/** Time for which reports of fetched results are gathered, so that they share a request, in milliseconds. */
const GATHER_MS = 100;
/** A poll held this long shows that the server makes the client wait by itself. */
const HELD_MS = 1_000;
/**
 * Most results fetched at one time. Thousands may finish in one moment, and a connection for each would take more memory and time
 * than the results do; with 50 ms a fetch this many still give 2,000 a second.
 */
const MAX_FETCHES = 100;
/** Limit of a poll that reports alone, in milliseconds. */
const REPORT_LIMIT_MS = 5_000;

/**
 * Waits for all samples of one sampling session with one poll at a time, and reports those whose results were fetched. It rests,
 * without any request, while nobody waits and nothing is to be reported.
 */
export class BatchPoller {
  readonly #target: FuturesRetrieveRequest["target"];
  readonly #environment: BatchEnvironment;
  readonly #waiters = new Map<string, Waiter>();
  readonly #early = new EarlyCompletions();
  readonly #retrieved = new Set<string>();
  readonly #fetches = new Semaphore(MAX_FETCHES);
  /** Pauses after polls that end at once without a completion, from the start again after any other. */
  #pause: BackoffCounter | undefined;
  /** Pauses after polls that failed, from the start again after one that did not. */
  #backoff: BackoffCounter | undefined;
  #cursor: number | bigint = 0;
  #reportedCursor: number | bigint = 0;
  #doubts = 0;
  #failingSinceMs: number | undefined;
  #isRunning = false;
  /** Ends the gathering of reports under way. */
  #endGathering: (() => void) | undefined;
  #isUnsupported = false;
  /** A refusal of the key, which another poll would meet too. */
  #refusal: FuturesPollerError | undefined;

  /** @param target - the sampler whose samples are waited for, and the copy of it that draws them */
  constructor(target: FuturesRetrieveRequest["target"], environment: BatchEnvironment) {
    this.#target = target;
    this.#environment = environment;
  }

  /** Samples that are waited for. */
  get size(): number {
    return this.#waiters.size;
  }

  /** Notes that a sample is being submitted, which may be complete before its ticket is here. Returns what notes the end of that. */
  submitting(): () => void {
    return this.#early.submitting();
  }

  /** Waits, where it must, until a result may be fetched beside those that are. @throws the reason of `signal` when it aborts first */
  fetching(signal: AbortSignal): Release | Promise<Release> {
    return this.#fetches.tryAcquire() ?? this.#fetches.acquire(signal);
  }

  /**
   * Waits until a sample has finished, well or not; its result is then fetched as always.
   *
   * @returns `undefined` where the sample is polled for alone: on a server that has no such polls, and for a request that another
   *   sample waits for already
   * @throws FuturesPollerError; the reason of the context's signal
   */
  finished(requestId: string, context: WaitingContext): Promise<FutureCompletion | undefined> {
    const { signal } = context;
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#isUnsupported || this.#waiters.has(requestId)) return Promise.resolve(undefined);
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    const early = this.#early.take(requestId);
    if (early !== undefined) return Promise.resolve(early);
    const finished = deferred<FutureCompletion | undefined>();
    const leave = onAbort(signal, (reason) => {
      this.#waiters.delete(requestId);
      finished.reject(reason);
      leave();
    });
    this.#waiters.set(requestId, { finished, context, leave });
    this.#wake();
    if (context.isAwaited()) this.#endGathering?.();
    return finished.promise;
  }

  /** Notes that a result was fetched, so that the service may forget it. */
  retrieved(requestId: string): void {
    if (this.#isUnsupported) return;
    this.#retrieved.add(requestId);
    this.#wake();
  }

  /** Reports what is left to report, once, before the connections go. Never rejects. */
  async flush(): Promise<void> {
    if (!this.#hasReports() || this.#isUnsupported) return;
    await this.#poll(true).catch(() => {});
  }

  #hasReports(): boolean {
    return this.#retrieved.size > 0 || this.#cursor > this.#reportedCursor;
  }

  #hasWork(): boolean {
    return !this.#isUnsupported && (this.#waiters.size > 0 || this.#hasReports());
  }

  #wake(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#environment.active.add(this);
    void this.#run();
  }

  /** Polls until there is nothing to wait for and nothing to report. Never rejects. */
  async #run(): Promise<void> {
    const { closing, active } = this.#environment;
    let failure: { readonly error: unknown } | undefined;
    try {
      while (!closing.aborted && this.#hasWork()) {
        // Reports are gathered; and work that nobody waits for must not keep the process alive by one poll after the other.
        if (!this.#isAwaited()) await this.#gather();
        await this.#pollOnce(this.#waiters.size === 0);
        // The sample that waits longest stands for all.
        const [first] = this.#waiters.values();
        first?.context.stillWaiting();
      }
    } catch (error) {
      failure = { error };
    }
    // In the same turn as the last look at the work: whoever comes later starts it anew.
    this.#isRunning = false;
    if (failure !== undefined && !closing.aborted) this.#fail(failure.error);
    if (!this.#hasReports()) active.delete(this);
  }

  #isAwaited(): boolean {
    for (const { context } of this.#waiters.values()) if (context.isAwaited()) return true;
    return false;
  }

  /** Lets reports gather, until somebody waits for a sample or the time for it is over. */
  async #gather(): Promise<void> {
    const { clock, closing } = this.#environment;
    const rest = new AbortController();
    this.#endGathering = () => rest.abort();
    const leave = onAbort(closing, () => rest.abort());
    try {
      await clock.sleep(GATHER_MS, rest.signal, { background: this.#waiters.size > 0 });
    } catch {
      closing.throwIfAborted();
    } finally {
      this.#endGathering = undefined;
      leave();
    }
  }

  async #pollOnce(isReport: boolean): Promise<void> {
    const { clock, closing } = this.#environment;
    const startedAtMs = clock.monotonic();
    const cursor = this.#cursor;
    try {
      const { completions } = await this.#poll(isReport, closing);
      this.#doubts = 0;
      this.#failingSinceMs = undefined;
      this.#backoff?.reset();
      const waitedCount = this.#waiters.size;
      for (const completion of completions) this.#complete(completion);
      // A server may tell of one thing with every answer, which is as good as nothing.
      const isNews = completions.length > 0 && (this.#waiters.size < waitedCount || this.#cursor !== cursor);
      const heldMs = clock.monotonic() - startedAtMs;
      if (isReport || isNews || heldMs > HELD_MS) this.#pause?.reset();
      else await clock.sleep(this.#nextPauseMs(), closing, { background: true });
    } catch (error) {
      if (closing.aborted) throw error;
      await this.#afterFailure(error, clock.monotonic() - startedAtMs);
    }
  }

  async #poll(isReport: boolean, signal?: AbortSignal): Promise<FuturesRetrieveResponse> {
    const { calls } = this.#environment;
    const reported = [...this.#retrieved].sort();
    const cursor = this.#cursor;
    const body = calls.encode("retrieve_futures", {
      target: this.#target,
      prev_cursor: cursor,
      ...(isReport ? { timeout: 0 } : {}),
      retrieved_request_ids: reported,
    });
    const response = await calls.post("retrieve_futures", body, {
      signal,
      ...(isReport
        ? {
            timeoutMs: REPORT_LIMIT_MS,
            headers: { "x-stainless-read-timeout": String(REPORT_LIMIT_MS / 1000) },
          }
        : {}),
    });
    const answer = this.#decode(response);
    for (const id of reported) this.#retrieved.delete(id);
    if (cursor > this.#reportedCursor) this.#reportedCursor = cursor;
    // An answer that tells of nothing leaves nothing to acknowledge, though some servers move the cursor all the same. A cursor that
    // goes back belongs to a server that was started again.
    if (answer.completions.length === 0) this.#reportedCursor = answer.cursor;
    else if (this.#reportedCursor >= answer.cursor) this.#reportedCursor = before(answer.cursor);
    this.#cursor = answer.cursor;
    return answer;
  }

  /** @throws UnreadablePollError for an answer that is no record at all; ResponseError for one that is not valid */
  #decode(response: TransportResponse): FuturesRetrieveResponse {
    try {
      return this.#environment.calls.decode("retrieve_futures", response.body);
    } catch (error) {
      if (beginsAsRecord(response)) throw error;
      throw new UnreadablePollError(errorMessage(error), { cause: error });
    }
  }

  #complete(completion: FutureCompletion): void {
    const { request_id: id } = completion;
    const waiter = this.#waiters.get(id);
    if (waiter === undefined) {
      this.#early.keep(completion);
      return;
    }
    this.#waiters.delete(id);
    waiter.leave();
    waiter.finished.resolve(completion);
  }

  #nextPauseMs(): number {
    this.#pause ??= new BackoffCounter(BACKOFFS.poll, this.#environment.random);
    return this.#pause.nextMs();
  }

  /** Waits before the next poll, or throws when there is no point in one. */
  async #afterFailure(error: unknown, heldMs: number): Promise<void> {
    const { clock, random, closing, onTrouble, maxFailingMs } = this.#environment;
    const status = error instanceof ApiStatusError ? error.status : undefined;
    if (status === 404 || status === 405) return this.#fallBack(status);
    const askedMs = error instanceof ApiStatusError ? error.retryAfterMs : undefined;
    if (status === 408 || error instanceof TimeoutError) {
      // Nothing has finished for as long as one poll may take, which is no failure.
      if (heldMs > HELD_MS) this.#pause?.reset();
      return clock.sleep(askedMs ?? this.#nextPauseMs(), closing, { background: true });
    }
    const isDoubtful =
      status === 400 || (error instanceof ResponseError && !(error instanceof UnreadablePollError));
    this.#doubts = isDoubtful ? this.#doubts + 1 : 0;
    if (this.#doubts > MAX_DOUBTS || !isPassing(error)) throw error;
    const nowMs = clock.monotonic();
    this.#failingSinceMs ??= nowMs;
    const failingMs = nowMs - this.#failingSinceMs;
    if (failingMs >= maxFailingMs) throw error;
    this.#backoff ??= new BackoffCounter(BACKOFFS.batchPoll, random);
    const waitMs = askedMs ?? this.#backoff.nextMs();
    const what = this.#waiters.size > 0 ? "waiting for the samples" : "reporting the samples that came";
    onTrouble(
      `${what} of ${this.#target.sampling_session_id}, asking again in ${(waitMs / 1000).toFixed(1)} s: ${errorMessage(error)}`,
    );
    await clock.sleep(waitMs, closing, { background: true });
  }

  /** The server has no such polls: each sample is polled for alone from now on. */
  #fallBack(status: number): void {
    this.#isUnsupported = true;
    this.#environment.logger.debug(
      `the server answered ${status} to retrieve_futures: samples are polled for one by one`,
    );
    this.#settleAll(({ finished }) => finished.resolve(undefined));
    this.#retrieved.clear();
  }

  #fail(cause: unknown): void {
    const error = new FuturesPollerError(this.#target, cause);
    if (error.status === 401 || error.status === 403) this.#refusal = error;
    this.#environment.logger.error(error.message);
    this.#doubts = 0;
    this.#failingSinceMs = undefined;
    this.#settleAll(({ finished }) => finished.reject(error));
    // The service forgets in its own time the results whose fetching could not be reported.
    this.#retrieved.clear();
    this.#reportedCursor = this.#cursor;
  }

  #settleAll(settle: (waiter: Waiter) => void): void {
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const waiter of waiters) {
      waiter.leave();
      settle(waiter);
    }
  }
}

/** Tells whether another poll may succeed where this one failed. */
function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof ResponseError) return true;
  if (!(error instanceof ApiStatusError)) return false;
  const { status } = error;
  return [400, 409, 425, 429].includes(status) || (status >= 500 && status < 600);
}

function before(cursor: number | bigint): number | bigint {
  return typeof cursor === "bigint" ? cursor - 1n : cursor - 1;
}
