import {
  AbortedError,
  ClosedError,
  checkTimeoutMs,
  type Deferred,
  deferred,
  onAbort,
  type Release,
  TimeoutError,
  type TinkexError,
  type WaitLimits,
  waitFor,
} from "@tinkex/base";
import type { OperationEvents } from "../events/operation-events.js";
import { checkOptions, WAIT_LIMITS } from "../inputs/call-options.js";
import type { FutureEnvironment, OperationCall } from "./future-environment.js";
import type { OperationContext, QueueStateEvent } from "./operation-context.js";
import type { OperationUnderWay } from "./slow-operation-log.js";

/**
 * Starts an operation and makes the future of its result.
 *
 * @throws ValidationError for limits that cannot work, before anything is registered
 */
export let startFuture: <T>(
  call: OperationCall,
  environment: FutureEnvironment,
  run: (context: OperationContext) => Promise<T>,
  events?: OperationEvents,
) => ApiFuture<T>;

/**
 * The result of an operation that runs on the service: a promise that knows more. The operation starts when the future is made;
 * `await` gives its result or throws its error. A future that nobody awaits never crashes the process.
 */
export class ApiFuture<T> extends Promise<T> {
  /** `then`, `catch` and `finally` give ordinary promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  static {
    startFuture = (call, environment, run, events) => new ApiFuture(call, environment, run, events);
    // Not declared as a member, so that it is not part of the public types.
    Object.defineProperty(ApiFuture.prototype, Symbol.for("nodejs.util.inspect.custom"), {
      value(this: ApiFuture<unknown>): string {
        const request = this.#requestId === undefined ? "" : `, request ${this.#requestId}`;
        return `ApiFuture { ${this.#call.name}${request}, ${this.#state} }`;
      },
    });
  }

  readonly #call: OperationCall;
  readonly #environment: FutureEnvironment;
  /** Publishes the operation's messages, if somebody heard when it was called. */
  readonly #events: OperationEvents | undefined;
  readonly #startedAtMs: number;
  /** Let go of once the operation has settled: programs keep futures longer than their operations last. */
  #controller: AbortController | undefined;
  /** Made for the first who asks: most futures never meet one. */
  #submission: Deferred<void> | undefined;
  #isSubmitted = false;
  #failure: unknown;
  /** Made for the first who listens: most futures never meet one. */
  #listeners: Set<(event: QueueStateEvent) => void> | undefined;
  #requestId: string | undefined;
  #seqId: number | undefined;
  #lastState: QueueStateEvent | undefined;
  #askServer: (() => Promise<boolean>) | undefined;
  #state: "not sent" | "sent" | "accepted" | "fulfilled" | "rejected" = "not sent";
  /** Waits for the result that are under way; one by `await` lasts as long as the operation. */
  #waitCount = 0;
  #release: Release | undefined;
  #told: Promise<boolean> | undefined;

  private constructor(
    call: OperationCall,
    environment: FutureEnvironment,
    run: (context: OperationContext) => Promise<T>,
    events: OperationEvents | undefined,
  ) {
    checkTimeoutMs(call.options.timeoutMs);
    let fulfil: (value: T) => void = () => {};
    let reject: (error: unknown) => void = () => {};
    super((onValue, onError) => {
      fulfil = onValue;
      reject = onError;
    });
    this.#call = call;
    this.#environment = environment;
    this.#events = events;
    this.#startedAtMs = environment.clock.monotonic();
    // A rejection may come before anyone looks. That alone must not end the process.
    super.then(undefined, (error: unknown) => this.#noteFailure(error));
    const running = events === undefined ? this.#run(run) : events.run(() => this.#run(run));
    running.then(fulfil, reject);
  }

  /**
   * Resolves when the service has accepted the operation with all its requests; from then on the arrays it was given may be
   * changed. Rejects when it never will.
   */
  get submitted(): Promise<void> {
    if (this.#submission !== undefined) return this.#submission.promise;
    const submission = deferred<void>();
    submission.promise.catch(() => {});
    if (this.#isSubmitted || this.#state === "fulfilled") submission.resolve();
    else if (this.#state === "rejected") submission.reject(this.#failure);
    this.#submission = submission;
    return submission.promise;
  }

  /** The service's id of the operation (of its first request), once it was accepted. */
  get requestId(): string | undefined {
    return this.#requestId;
  }

  /** The operation's place in its model's order, by which the service runs it (that of its first request), once it was accepted. */
  get seqId(): number | undefined {
    return this.#seqId;
  }

  /**
   * Waits for the result under limits of this wait alone. When they end it the operation goes on and may be awaited again.
   *
   * @throws TimeoutError, AbortedError, and whatever the operation fails with
   */
  result(limits: WaitLimits = {}): Promise<T> {
    checkOptions<WaitLimits>(limits, WAIT_LIMITS, "result");
    const leave = this.#enterWait();
    // Through the promise's own method: ours would count a wait that lasts.
    const settled = super.then((value) => value);
    const wait = waitFor(settled, limits, this.#environment.clock, {
      timedOut: (timeoutMs) => this.#timedOut(timeoutMs),
      aborted: (cause) => new AbortedError(`waiting for ${this.#describe()} was aborted`, { cause }),
    });
    settled.catch(() => {});
    wait.then(leave, leave);
    return wait;
  }

  /**
   * Gives the operation up: the future rejects with `AbortedError`, and the service is asked to stop where it can be.
   *
   * @returns true when the operation was never sent, or the service was told to stop it; false when it had settled before,
   * or may still run on the service
   */
  async cancel(): Promise<boolean> {
    if (this.#isSettled) return false;
    const isUnsent = this.#state === "not sent";
    this.#end(new AbortedError(`${this.#describe()} was cancelled`));
    return isUnsent || (await this.#told) === true;
  }

  /** Calls `listener` whenever the service says how the operation stands in its queue. Returns what ends that. */
  on(_event: "queueState", listener: (event: QueueStateEvent) => void): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  // biome-ignore lint/suspicious/noThenProperty: a future is made to be awaited
  override then<Value = T, Failure = never>(
    onFulfilled?: ((value: T) => Value | PromiseLike<Value>) | null,
    onRejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Value | Failure> {
    this.#enterWait();
    return super.then(onFulfilled, onRejected);
  }

  /** Counts a wait, which keeps the process alive. Returns what ends it. */
  #enterWait(): () => void {
    this.#waitCount += 1;
    if (!this.#isSettled) this.#release ??= keepAlive();
    return () => {
      this.#waitCount -= 1;
      if (this.#waitCount === 0) this.#letGo();
    };
  }

  #letGo(): void {
    this.#release?.();
    this.#release = undefined;
  }

  /** Runs the work until it settles or something ends it, and lets go of signal, limit and registry. */
  async #run(work: (context: OperationContext) => Promise<T>): Promise<T> {
    const { signal, timeoutMs = Number.POSITIVE_INFINITY } = this.#call.options;
    const controller = new AbortController();
    this.#controller = controller;
    const end = (reason: TinkexError): void => this.#end(reason);
    const leaveLive = this.#environment.live.add(end);
    const leaveSignal = signal && this.#endWith(signal);
    const callOffLimit = timeoutMs === Number.POSITIVE_INFINITY ? undefined : this.#endAfter(timeoutMs);
    try {
      const value = await this.#untilEnded(work, controller.signal);
      this.#state = "fulfilled";
      this.#events?.succeeded();
      this.#submission?.resolve();
      return value;
    } catch (error) {
      this.#state = "rejected";
      this.#events?.failed(error);
      this.#failure = error;
      this.#submission?.reject(error);
      // Stops the parts of the work that still run: nobody wants them any more.
      controller.abort(error);
      throw error;
    } finally {
      this.#controller = undefined;
      this.#askServer = undefined;
      this.#letGo();
      leaveLive();
      leaveSignal?.();
      callOffLimit?.();
    }
  }

  /** Gives what the work gives, or throws the reason by which it is ended before. */
  #untilEnded(work: (context: OperationContext) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      // Stays for as long as the operation: those who wait within it, one after the other, share its listener.
      onAbort(signal, reject);
      work(this.#context(signal)).then(resolve, reject);
    });
  }

  /** Ends the operation when the caller's signal aborts. Returns what lets go of the signal. */
  #endWith(signal: AbortSignal): () => void {
    const onSignal = (cause: unknown): void =>
      this.#end(new AbortedError(`${this.#describe()} was aborted`, { cause }));
    if (signal.aborted) onSignal(signal.reason);
    return onAbort(signal, onSignal);
  }

  /** Ends the operation after `timeoutMs`. Returns what calls that off. */
  #endAfter(timeoutMs: number): () => void {
    const controller = new AbortController();
    this.#environment.clock.sleep(timeoutMs, controller.signal, { background: true }).then(
      () => this.#end(this.#timedOut(timeoutMs)),
      // Called off: the work settled first.
      () => {},
    );
    return () => controller.abort("settled");
  }

  #context(signal: AbortSignal): OperationContext {
    const { name, method, operationId, options } = this.#call;
    const { clock, events, failureListener: failed } = this.#environment;
    const underWay: OperationUnderWay = {
      startedAtMs: this.#startedAtMs,
      describe: (afterS) => `${this.#describe()} has no result after ${afterS} s${this.#place("unknown")}`,
    };
    return {
      name,
      onBehalfOf: { method, headers: options.headers, operationId },
      startedAtMs: this.#startedAtMs,
      isAwaited: () => this.#waitCount > 0,
      signal,
      sending: () => {
        if (this.#state !== "not sent") return;
        signal.throwIfAborted();
        this.#state = "sent";
      },
      accepted: (requestId) => {
        this.#requestId ??= requestId;
        if (this.#state === "sent") this.#state = "accepted";
        if (!this.#isSettled) this.#events?.accepted(requestId);
      },
      numbered: (seqId) => {
        this.#seqId ??= seqId;
      },
      submitted: () => {
        this.#isSubmitted ||= !this.#isSettled;
        this.#submission?.resolve();
        // A part of the work may go on after it was given up, of which nobody wants to hear.
        if (!this.#isSettled) this.#events?.submitted(this.#seqId);
      },
      queueState: (event) => {
        this.#lastState = event;
        events?.queueState({ ...event, operationId }, event.state, event.reason);
        for (const listener of this.#listeners ?? []) this.#notify(listener, event);
      },
      whileQueued: (requestId, requestType, wait) => {
        const startedAtMs = clock.monotonic();
        const onFailure = (error: unknown): void => {
          const elapsedMs = clock.monotonic() - startedAtMs;
          failed?.resultFailed({ requestId, requestType, error, iteration: wait.iteration, elapsedMs });
        };
        const run = () => wait.result(onFailure);
        return events === undefined
          ? run()
          : events.whileQueued({ operationId, requestId, requestType }, run);
      },
      attemptFailed: (error, attempt, isRepeated) => {
        const elapsedMs = clock.monotonic() - this.#startedAtMs;
        failed?.attemptFailed({ method, error, attempt, isRepeated, elapsedMs });
      },
      aroundChunk: (chunk, submit) =>
        events === undefined ? submit() : events.aroundChunk(operationId, chunk, submit),
      stillWaiting: () => this.#environment.slow.note(underWay),
      onCancel: (askServer) => {
        if (!this.#isSettled) this.#askServer = askServer;
      },
    };
  }

  get #isSettled(): boolean {
    return this.#state === "fulfilled" || this.#state === "rejected";
  }

  #end(reason: TinkexError): void {
    if (this.#isSettled || this.#controller?.signal.aborted) return;
    this.#controller?.abort(reason);
    // The end of a session ends its work too.
    if (!(reason instanceof ClosedError)) this.#told = this.#tellServer();
  }

  /** Tells whether the service was told to stop the work. Never rejects: the caller has given the work up already. */
  async #tellServer(): Promise<boolean> {
    try {
      return (await this.#askServer?.()) ?? false;
    } catch (error) {
      this.#environment.logger.debug(`the service was not told that ${this.#call.name} is cancelled`, {
        error,
      });
      return false;
    }
  }

  #notify(listener: (event: QueueStateEvent) => void, event: QueueStateEvent): void {
    const warn = (error: unknown): void =>
      this.#environment.logger.warn(`a queueState listener of ${this.#call.name} threw`, { error });
    try {
      // An async function is a listener too, as far as types go.
      Promise.resolve(listener(event) as unknown).catch(warn);
    } catch (error) {
      warn(error);
    }
  }

  #noteFailure(error: unknown): void {
    if (error instanceof AbortedError || error instanceof ClosedError) return;
    this.#environment.failureListener?.callFailed(error);
    if (this.#waitCount > 0) return;
    const isAwaited = (): boolean => this.#waitCount > 0;
    this.#environment.failures.note({ name: this.#call.name, error, isAwaited });
  }

  #timedOut(timeoutMs: number): TimeoutError {
    const waitedS = (this.#environment.clock.monotonic() - this.#startedAtMs) / 1000;
    return new TimeoutError(
      `${this.#describe()} has no result after ${waitedS.toFixed(1)} s (limit ${timeoutMs} ms)${this.#place()}`,
      { timeoutMs, requestId: this.#requestId },
    );
  }

  /** Describes how the work stands in the service's queue. @param fallback - the state where the service has not said one */
  #place(fallback?: string): string {
    const { state = fallback, reason } = this.#lastState ?? {};
    return state === undefined ? "" : `, queue state ${state}${reason ? ` (${reason})` : ""}`;
  }

  #describe(): string {
    if (this.#requestId !== undefined)
      return `${this.#call.name} (request ${this.#requestId}, still known to the service)`;
    return this.#state !== "not sent"
      ? `${this.#call.name} (being sent; the service may still run it)`
      : `${this.#call.name} (not sent yet)`;
  }
}

/** Longest interval of a timer, in milliseconds. */
const MAX_INTERVAL_MS = 2 ** 31 - 1;

let holdCount = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * Keeps the process alive while somebody waits for a result. Polls, and the pauses between them, do not: work that nobody waits
 * for must not hold up the end of a program.
 */
function keepAlive(): Release {
  holdCount += 1;
  timer ??= setInterval(() => {}, MAX_INTERVAL_MS);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    holdCount -= 1;
    if (holdCount > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
