import {
  AbortedError,
  type Clock,
  ClosedError,
  type Deferred,
  deferred,
  LightSignal,
  onAbort,
  TimeoutError,
  type TinkexError,
} from "@tinkex/base";
import type { OperationEvents } from "../events/operation-events.js";
import type { FutureEnvironment, OperationCall } from "./future-environment.js";
import type { OnBehalfOf, OperationContext, QueueStateEvent, ResultWait } from "./operation-context.js";

/** The signal of operations that have their result: nothing ends them any more. Not made while loading, which some runtimes forbid. */
let neverAborted: AbortSignal | undefined;

/** The work behind a future: runs it, knows how it stands, and ends it. One object for the future and for the work. */
export class RunningOperation implements OperationContext {
  readonly name: string;
  readonly onBehalfOf: OnBehalfOf;
  readonly startedAtMs: number;
  /** Let go of once there is a result: programs keep futures longer than their operations last. */
  signal: AbortSignal;
  requestId: string | undefined;
  seqId: number | undefined;
  state: "not sent" | "sent" | "accepted" | "fulfilled" | "rejected" = "not sent";
  isSettled = false;
  readonly #call: OperationCall;
  readonly #environment: FutureEnvironment;
  /** Publishes the operation's messages, if somebody heard when it was called. */
  readonly #events: OperationEvents | undefined;
  #leaveOwnSignal: (() => void) | undefined;
  #leaveGivenSignal: (() => void) | undefined;
  #callOffLimit: (() => void) | undefined;
  #controller: Pick<AbortController, "abort"> | undefined;
  /** Made for the first who asks: most futures never meet one. */
  #submission: Deferred<void> | undefined;
  #isSubmitted = false;
  #failure: unknown;
  /** Made for the first who listens: most futures never meet one. */
  #listeners: Set<(event: QueueStateEvent) => void> | undefined;
  #lastState: QueueStateEvent | undefined;
  /** Reason why the last try of a request failed, as long as no further one went well. */
  #lastFault: string | undefined;
  #askServer: (() => Promise<boolean>) | undefined;
  /** Waits for the result that are under way; one by `await` lasts as long as the operation. */
  #waitCount = 0;
  #keepsAlive = false;
  #told: Promise<boolean> | undefined;

  constructor(call: OperationCall, environment: FutureEnvironment, events: OperationEvents | undefined) {
    const { name, method, operationId, options } = call;
    this.name = name;
    const tryFailed = (outcome: string | undefined): void => {
      this.#lastFault = outcome;
    };
    this.onBehalfOf = { method, headers: options.headers, operationId, tryFailed };
    this.startedAtMs = environment.clock.monotonic();
    if (environment.hidesSignals === true) {
      const signal = new LightSignal();
      this.signal = signal;
      this.#controller = signal;
    } else {
      const controller = new AbortController();
      this.signal = controller.signal;
      this.#controller = controller;
    }
    this.#call = call;
    this.#environment = environment;
    this.#events = events;
  }

  get clock(): Clock {
    return this.#environment.clock;
  }

  /**
   * Runs the work until it settles or something ends it, and lets go of signal, limit and registry then. It settles a promise of the
   * caller's and makes none between: thousands of operations wait at a time.
   */
  run<T>(
    work: (context: OperationContext) => Promise<T>,
    settle: Pick<Deferred<T>, "resolve" | "reject">,
  ): void {
    const { signal: given, timeoutMs = Number.POSITIVE_INFINITY } = this.#call.options;
    // A clock or a signal of the caller's that throws ends the future too: nobody else would hear of it.
    const fail = (error: unknown): void => {
      // An abort counts, though the work ended a moment before.
      const reason: unknown = this.signal.aborted ? this.signal.reason : error;
      try {
        if (this.#settleAs("rejected", reason)) settle.reject(reason);
      } catch (fault) {
        settle.reject(fault);
      }
    };
    const succeed = (value: T): void => {
      try {
        if (!this.signal.aborted && this.#settleAs("fulfilled")) settle.resolve(value);
      } catch (fault) {
        settle.reject(fault);
      }
    };
    this.#environment.live.add(this);
    try {
      this.#leaveGivenSignal = given && this.#endWith(given);
      if (timeoutMs !== Number.POSITIVE_INFINITY) this.#callOffLimit = this.#endAfter(timeoutMs);
      const { signal } = this;
      if (signal.aborted) {
        fail(signal.reason);
        return;
      }
      // Stays for as long as the operation: those who wait within it, one after the other, share its listener.
      this.#leaveOwnSignal = onAbort(signal, this.#events === undefined ? fail : inThisContext(fail));
      work(this).then(succeed, fail);
    } catch (error) {
      fail(error);
    }
  }

  /** Notes the end, and lets go of all that ran for it. Tells whether the operation had not settled before. */
  #settleAs(state: "fulfilled" | "rejected", error?: unknown): boolean {
    if (this.isSettled) return false;
    this.state = state;
    this.isSettled = true;
    try {
      if (state === "fulfilled") {
        neverAborted ??= new AbortController().signal;
        this.signal = neverAborted;
        this.#events?.succeeded();
        this.#submission?.resolve();
      } else {
        this.#failure = error;
        this.#events?.failed(error);
        this.#submission?.reject(error);
        // Stops the parts of the work that still run: nobody wants them any more.
        this.#controller?.abort(error);
      }
    } finally {
      this.#controller = undefined;
      this.#askServer = undefined;
      this.#letGo();
      this.#environment.live.delete(this);
      this.#leaveOwnSignal?.();
      this.#callOffLimit?.();
      // The last, as it is the caller's, and may throw.
      this.#leaveGivenSignal?.();
      this.#leaveOwnSignal = undefined;
      this.#callOffLimit = undefined;
      this.#leaveGivenSignal = undefined;
    }
    return true;
  }

  /** Ends the operation when the caller's signal aborts. Returns what lets go of the signal. */
  #endWith(signal: AbortSignal): () => void {
    const onSignal = (cause: unknown): void =>
      this.end(new AbortedError(`${this.describeCall()} was aborted`, { cause }));
    if (signal.aborted) onSignal(signal.reason);
    return onAbort(signal, onSignal);
  }

  /** Ends the operation after `timeoutMs`. Returns what calls that off. */
  #endAfter(timeoutMs: number): () => void {
    const controller = new AbortController();
    this.clock.sleep(timeoutMs, controller.signal, { background: true }).then(
      () => this.end(this.timedOut(timeoutMs)),
      // Called off: the work settled first.
      () => {},
    );
    return () => controller.abort("settled");
  }

  /** Ends the operation, unless it has settled. The first reason counts. */
  end(reason: TinkexError): void {
    if (this.isSettled || this.signal.aborted) return;
    const askServer = this.#askServer;
    this.#controller?.abort(reason);
    // The end of a session ends its work too.
    if (!(reason instanceof ClosedError)) this.#told = this.#tellServer(askServer);
  }

  /** Gives the operation up. Tells whether it was never sent, or the service was told to stop it. */
  async cancel(): Promise<boolean> {
    if (this.isSettled) return false;
    const isUnsent = this.state === "not sent";
    this.end(new AbortedError(`${this.describeCall()} was cancelled`));
    return isUnsent || (await this.#told) === true;
  }

  /** Tells whether the service was told to stop the work. Never rejects: the caller has given the work up already. */
  async #tellServer(askServer: (() => Promise<boolean>) | undefined): Promise<boolean> {
    try {
      return (await askServer?.()) ?? false;
    } catch (error) {
      this.#environment.logger.debug(`the service was not told that ${this.name} is cancelled`, { error });
      return false;
    }
  }

  /** Resolves when all requests were accepted; rejects when they never will be. */
  get submission(): Promise<void> {
    if (this.#submission !== undefined) return this.#submission.promise;
    const submission = deferred<void>();
    submission.promise.catch(() => {});
    if (this.#isSubmitted || this.state === "fulfilled") submission.resolve();
    else if (this.state === "rejected") submission.reject(this.#failure);
    this.#submission = submission;
    return submission.promise;
  }

  sending(): void {
    if (this.state !== "not sent") return;
    this.signal.throwIfAborted();
    this.state = "sent";
  }

  accepted(requestId: string): void {
    this.requestId ??= requestId;
    this.#lastFault = undefined;
    if (this.state === "sent") this.state = "accepted";
    if (!this.isSettled) this.#events?.accepted(requestId);
  }

  submitted(): void {
    this.#isSubmitted ||= !this.isSettled;
    this.#submission?.resolve();
    // A part of the work may go on after it was given up, of which nobody wants to hear.
    if (!this.isSettled) this.#events?.submitted(this.seqId);
  }

  queueState(event: QueueStateEvent): void {
    this.#lastState = event;
    const { events } = this.#environment;
    if (events?.isHeard("queue") === true) {
      events.queueState({ ...event, operationId: this.#call.operationId }, event.state, event.reason);
    }
    if (this.#listeners === undefined) return;
    // A copy: one that is added by another hears of the next event first.
    for (const listener of [...this.#listeners]) this.#notify(listener, event);
  }

  whileQueued<T>(requestId: string, requestType: string, wait: ResultWait<T>): Promise<T> {
    const { clock, events, failureListener: failed } = this.#environment;
    const startedAtMs = failed === undefined ? 0 : clock.monotonic();
    const onFailure =
      failed &&
      ((error: unknown): void => {
        const elapsedMs = clock.monotonic() - startedAtMs;
        failed.resultFailed({ requestId, requestType, error, iteration: wait.iteration, elapsedMs });
      });
    if (events?.isHeard("queue") !== true) return wait.result(onFailure);
    const { operationId } = this.#call;
    return events.whileQueued({ operationId, requestId, requestType }, () => wait.result(onFailure));
  }

  attemptFailed(error: unknown, attempt: number, isRepeated: boolean): void {
    const { clock, failureListener } = this.#environment;
    const elapsedMs = clock.monotonic() - this.startedAtMs;
    failureListener?.attemptFailed({ method: this.#call.method, error, attempt, isRepeated, elapsedMs });
  }

  stillWaiting(): void {
    this.#environment.slow.note(this);
  }

  onCancel(askServer: () => Promise<boolean>): void {
    if (!this.isSettled) this.#askServer = askServer;
  }

  isAwaited(): boolean {
    return this.#waitCount > 0;
  }

  /**
   * Counts a wait, which keeps the process alive. Polls, and the pauses between them, do not: work that nobody waits for must not hold
   * up the end of a program.
   */
  enterWait(): void {
    this.#waitCount += 1;
    if (this.isSettled || this.#keepsAlive) return;
    this.#keepsAlive = true;
    keptAliveCount += 1;
    timer ??= setInterval(() => {}, MAX_INTERVAL_MS);
  }

  /** Notes the end of a wait. */
  leaveWait(): void {
    this.#waitCount -= 1;
    if (this.#waitCount === 0) this.#letGo();
  }

  #letGo(): void {
    if (!this.#keepsAlive) return;
    this.#keepsAlive = false;
    keptAliveCount -= 1;
    if (keptAliveCount > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** Calls `listener` whenever the service says how the operation stands in its queue. Returns what ends that. */
  listen(listener: (event: QueueStateEvent) => void): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  #notify(listener: (event: QueueStateEvent) => void, event: QueueStateEvent): void {
    const warn = (error: unknown): void =>
      this.#environment.logger.warn(`a queueState listener of ${this.name} threw`, { error });
    try {
      // An async function is a listener too, as far as types go.
      Promise.resolve(listener(event) as unknown).catch(warn);
    } catch (error) {
      warn(error);
    }
  }

  /** Tells of a failure those who hear of all, and the log if nobody waits for the result. */
  noteFailure(error: unknown): void {
    if (error instanceof AbortedError || error instanceof ClosedError) return;
    this.#environment.failureListener?.callFailed(error);
    if (this.#waitCount > 0) return;
    this.#environment.failures.note({ name: this.name, error, isAwaited: () => this.#waitCount > 0 });
  }

  timedOut(timeoutMs: number): TimeoutError {
    const waitedS = (this.clock.monotonic() - this.startedAtMs) / 1000;
    return new TimeoutError(
      `${this.describeCall()} has no result after ${waitedS.toFixed(1)} s (limit ${timeoutMs} ms)${this.#place()}${this.#fault()}`,
      { timeoutMs, requestId: this.requestId },
    );
  }

  /** Describes the operation for the log of slow ones. */
  describe(afterS: number): string {
    return `${this.describeCall()} has no result after ${afterS} s${this.#place("unknown")}${this.#fault()}`;
  }

  describeCall(): string {
    if (this.requestId !== undefined)
      return `${this.name} (request ${this.requestId}, still known to the service)`;
    return this.state !== "not sent"
      ? `${this.name} (being sent; the service may still run it)`
      : `${this.name} (not sent yet)`;
  }

  /** Describes what keeps the work from the service, or its result from us. */
  #fault(): string {
    return this.#lastFault === undefined ? "" : `; last try: ${this.#lastFault}`;
  }

  /** Describes how the work stands in the service's queue. @param fallback - the state where the service has not said one */
  #place(fallback?: string): string {
    const { state = fallback, reason } = this.#lastState ?? {};
    return state === undefined ? "" : `, queue state ${state}${reason ? ` (${reason})` : ""}`;
  }
}

/** Longest interval of a timer, in milliseconds. */
const MAX_INTERVAL_MS = 2 ** 31 - 1;

/** Operations that somebody waits for, and the timer that keeps the process alive for them. */
let keptAliveCount = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * Makes a callback that has `fail` run a moment later, in the async context of now: an abort runs in that of whoever aborts, and a
 * listener of messages may ask for that of the call.
 */
function inThisContext(fail: (error: unknown) => void): (error: unknown) => void {
  const ended = deferred<never>();
  ended.promise.catch(fail);
  return ended.reject;
}
