import {
  AbortedError,
  type Clock,
  ClosedError,
  checkTimeoutMs,
  deferred,
  type Logger,
  onAbort,
  TimeoutError,
  type TinkexError,
  type WaitLimits,
  waitFor,
} from "@tinkex/base";
import type { OperationRegistry } from "./live-operations.js";
import type { FutureWork } from "./operation-context.js";
import type { QueueStateEvent } from "./queue-state-event.js";

/** What all futures of a service client share. */
export interface FutureEnvironment {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly live: OperationRegistry;
}

/**
 * The result of an operation that runs on the service. The operation starts when the future is made; `await` gives its
 * result or throws its error. A future that nobody awaits never crashes the process.
 *
 * It is no `Promise`: an `async` function that returns one awaits it. Pass it on from a plain function instead.
 */
export class ApiFuture<T> implements PromiseLike<T> {
  /**
   * Resolves when the service has accepted the operation with all its requests; from then on the arrays it was given may be
   * changed. Rejects when it never will.
   */
  readonly submitted: Promise<void>;
  readonly #name: string;
  readonly #environment: FutureEnvironment;
  readonly #startedAtMs: number;
  readonly #promise: Promise<T>;
  readonly #controller = new AbortController();
  readonly #ended = deferred<never>();
  readonly #listeners = new Set<(event: QueueStateEvent) => void>();
  #requestId: string | undefined;
  #lastState: QueueStateEvent | undefined;
  #askServer: (() => Promise<boolean>) | undefined;
  #sending = false;
  #settled = false;
  #awaited = false;

  /** @internal The clients make futures. `name` is what messages call the operation. */
  constructor(
    name: string,
    environment: FutureEnvironment,
    limits: WaitLimits,
    run: (work: FutureWork) => Promise<T>,
  ) {
    checkTimeoutMs(limits.timeoutMs);
    this.#name = name;
    this.#environment = environment;
    this.#startedAtMs = environment.clock.monotonic();
    const submission = deferred<void>();
    this.submitted = submission.promise;
    this.#promise = this.#start(limits, () => run(this.#work(submission.resolve)));
    this.#promise.then(() => submission.resolve(), submission.reject);
    // A rejection may come before anyone looks. That alone must not end the process.
    this.submitted.catch(() => {});
    this.#promise.catch((error) => this.#noteFailure(error));
  }

  /** The service's id of the operation (of its first request), once it was accepted. */
  get requestId(): string | undefined {
    return this.#requestId;
  }

  /**
   * Waits for the result under limits of this wait alone. When they end it the operation goes on and may be awaited again.
   *
   * @throws TimeoutError, AbortedError, and whatever the operation fails with
   */
  result(limits: WaitLimits = {}): Promise<T> {
    checkTimeoutMs(limits.timeoutMs);
    this.#awaited = true;
    return waitFor(this.#promise, limits, this.#environment.clock, {
      timedOut: (timeoutMs) => this.#timedOut(timeoutMs),
      aborted: (cause) => new AbortedError(`waiting for ${this.#describe()} was aborted`, { cause }),
    });
  }

  /**
   * Gives the operation up: the future rejects with `AbortedError`, and the service is asked to stop where it can be.
   *
   * @returns true when the operation was never sent, or the service was told to stop it; false when it had settled before,
   * or may still run on the service
   */
  async cancel(): Promise<boolean> {
    if (this.#settled) return false;
    const unsent = !this.#sending;
    this.#end(new AbortedError(`${this.#describe()} was cancelled`));
    return unsent || this.#tellServer();
  }

  /** Calls `listener` whenever the service says how the operation stands in its queue. Returns what ends that. */
  on(_event: "queueState", listener: (event: QueueStateEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // biome-ignore lint/suspicious/noThenProperty: a future is made to be awaited
  then<Value = T, Failure = never>(
    onFulfilled?: ((value: T) => Value | PromiseLike<Value>) | null,
    onRejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Value | Failure> {
    this.#awaited = true;
    return this.#promise.then(onFulfilled, onRejected);
  }

  /** As `then(undefined, onRejected)`. */
  catch<Failure = never>(
    onRejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<T | Failure> {
    return this.then(undefined, onRejected);
  }

  /** As that of a promise. */
  finally(onSettled?: (() => void) | null): Promise<T> {
    this.#awaited = true;
    return this.#promise.finally(onSettled);
  }

  /** Runs the work until it settles or something ends it, and lets go of signal, limit and registry. */
  #start(limits: WaitLimits, run: () => Promise<T>): Promise<T> {
    const { signal, timeoutMs = Number.POSITIVE_INFINITY } = limits;
    const { live } = this.#environment;
    const onSignal = (cause: unknown): void =>
      this.#end(new AbortedError(`${this.#describe()} was aborted`, { cause }));
    const leaveLive = live.add((reason) => this.#end(reason));
    const leaveSignal = signal && onAbort(signal, onSignal);
    if (signal?.aborted) onSignal(signal.reason);
    const callOffLimit = this.#limit(timeoutMs);
    const outcome = this.#controller.signal.aborted
      ? this.#ended.promise
      : Promise.race([run(), this.#ended.promise]);
    // What the work had running beside the part that failed is of no use any more.
    outcome.catch((error: unknown) => this.#controller.abort(error));
    return outcome.finally(() => {
      this.#settled = true;
      leaveLive();
      leaveSignal?.();
      callOffLimit();
    });
  }

  /** Ends the operation after `timeoutMs`. Returns what calls that off. */
  #limit(timeoutMs: number): () => void {
    if (timeoutMs === Number.POSITIVE_INFINITY) return () => {};
    const controller = new AbortController();
    this.#environment.clock.sleep(timeoutMs, controller.signal, { background: true }).then(
      () => this.#end(this.#timedOut(timeoutMs)),
      // Called off: the work settled first.
      () => {},
    );
    return () => controller.abort("settled");
  }

  #work(markSubmitted: () => void): FutureWork {
    return {
      signal: this.#controller.signal,
      sending: () => {
        if (!this.#sending) this.#controller.signal.throwIfAborted();
        this.#sending = true;
      },
      accepted: (requestId) => {
        this.#requestId ??= requestId;
      },
      submitted: () => markSubmitted(),
      queueState: (event) => {
        this.#lastState = event;
        for (const listener of this.#listeners) this.#notify(listener, event);
      },
      onCancel: (askServer) => {
        this.#askServer = askServer;
      },
    };
  }

  #end(reason: TinkexError): void {
    if (this.#settled || this.#controller.signal.aborted) return;
    this.#controller.abort(reason);
    this.#ended.reject(reason);
  }

  /** Whether the service was told to stop the work. Never rejects: the caller has given the work up already. */
  async #tellServer(): Promise<boolean> {
    try {
      return (await this.#askServer?.()) ?? false;
    } catch (error) {
      this.#environment.logger.debug(`the service was not told that ${this.#name} is cancelled`, { error });
      return false;
    }
  }

  #notify(listener: (event: QueueStateEvent) => void, event: QueueStateEvent): void {
    try {
      listener(event);
    } catch (error) {
      this.#environment.logger.warn(`a queueState listener of ${this.#name} threw`, { error });
    }
  }

  #noteFailure(error: unknown): void {
    if (this.#awaited || error instanceof AbortedError || error instanceof ClosedError) return;
    const message = error instanceof Error ? error.message : String(error);
    this.#environment.logger.warn(`${this.#name} failed and nobody is waiting for it yet: ${message}`);
  }

  #timedOut(timeoutMs: number): TimeoutError {
    const waitedS = (this.#environment.clock.monotonic() - this.#startedAtMs) / 1000;
    const state = this.#lastState;
    const queue =
      state === undefined ? "" : `, queue state ${state.state}${state.reason ? ` (${state.reason})` : ""}`;
    return new TimeoutError(
      `${this.#describe()} has no result after ${waitedS.toFixed(1)} s (limit ${timeoutMs} ms)${queue}`,
      { timeoutMs, requestId: this.#requestId },
    );
  }

  #describe(): string {
    if (this.#requestId !== undefined)
      return `${this.#name} (request ${this.#requestId}, still known to the service)`;
    return this.#sending
      ? `${this.#name} (being sent; the service may still run it)`
      : `${this.#name} (not sent yet)`;
  }
}
