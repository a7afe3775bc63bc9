import {
  AbortedError,
  type Clock,
  ClosedError,
  checkTimeoutMs,
  deferred,
  errorMessage,
  type Logger,
  onAbort,
  TimeoutError,
  type TinkexError,
  waitFor,
} from "@tinkex/base";
import { CALL_OPTIONS, type CallOptions, checkOptions } from "../inputs/call-options.js";
import type { OperationRegistry } from "./client-lifecycle.js";
import type { OperationContext, QueueStateEvent, SdkMethod } from "./operation-context.js";

/** The ports and the registry that all futures of a service client share. */
export interface FutureEnvironment {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly live: OperationRegistry;
}

type Construct = <T>(
  method: SdkMethod,
  environment: FutureEnvironment,
  limits: CallOptions,
  run: (context: OperationContext) => Promise<T>,
) => ApiFuture<T>;

let construct: Construct;

/**
 * Starts an operation and makes the future of its result.
 *
 * @throws ValidationError for limits that cannot work, before anything is registered
 */
export const startFuture: Construct = (...call) => construct(...call);

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
    construct = (method, environment, limits, run) => new ApiFuture(method, environment, limits, run);
    // Not declared as a member, so that it is not part of the public types.
    Object.defineProperty(ApiFuture.prototype, Symbol.for("nodejs.util.inspect.custom"), {
      value(this: ApiFuture<unknown>): string {
        const request = this.#requestId === undefined ? "" : `, request ${this.#requestId}`;
        return `ApiFuture { ${this.#name}${request}, ${this.#state} }`;
      },
    });
  }

  /**
   * Resolves when the service has accepted the operation with all its requests; from then on the arrays it was given may be
   * changed. Rejects when it never will.
   */
  readonly submitted: Promise<void>;
  readonly #method: SdkMethod;
  readonly #environment: FutureEnvironment;
  readonly #startedAtMs: number;
  readonly #controller = new AbortController();
  readonly #ended = deferred<never>();
  readonly #listeners = new Set<(event: QueueStateEvent) => void>();
  #requestId: string | undefined;
  #lastState: QueueStateEvent | undefined;
  #askServer: (() => Promise<boolean>) | undefined;
  #state: "not sent" | "sent" | "accepted" | "fulfilled" | "rejected" = "not sent";
  #isSettled = false;
  #isAwaited = false;

  private constructor(
    method: SdkMethod,
    environment: FutureEnvironment,
    limits: CallOptions,
    run: (context: OperationContext) => Promise<T>,
  ) {
    checkTimeoutMs(limits.timeoutMs);
    let fulfil: (value: T) => void = () => {};
    let reject: (error: unknown) => void = () => {};
    super((onValue, onError) => {
      fulfil = onValue;
      reject = onError;
    });
    this.#method = method;
    this.#environment = environment;
    this.#startedAtMs = environment.clock.monotonic();
    const submission = deferred<void>();
    this.submitted = submission.promise;
    this.#start(limits, () => run(this.#context(submission.resolve))).then(
      (value) => {
        this.#state = "fulfilled";
        submission.resolve();
        fulfil(value);
      },
      (error: unknown) => {
        this.#state = "rejected";
        submission.reject(error);
        reject(error);
      },
    );
    // A rejection may come before anyone looks. That alone must not end the process.
    this.submitted.catch(() => {});
    super.then(undefined, (error: unknown) => this.#noteFailure(error));
  }

  /** What messages call the operation, e.g. `optim_step`. */
  get #name(): string {
    return this.#method.slice(this.#method.indexOf(".") + 1);
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
  result(limits: CallOptions = {}): Promise<T> {
    checkOptions(limits, CALL_OPTIONS, "result");
    this.#isAwaited = true;
    return waitFor(this, limits, this.#environment.clock, {
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
    if (this.#isSettled) return false;
    const isUnsent = this.#state === "not sent";
    this.#end(new AbortedError(`${this.#describe()} was cancelled`));
    return isUnsent || this.#tellServer();
  }

  /** Calls `listener` whenever the service says how the operation stands in its queue. Returns what ends that. */
  on(_event: "queueState", listener: (event: QueueStateEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // biome-ignore lint/suspicious/noThenProperty: a future is made to be awaited
  override then<Value = T, Failure = never>(
    onFulfilled?: ((value: T) => Value | PromiseLike<Value>) | null,
    onRejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Value | Failure> {
    this.#isAwaited = true;
    return super.then(onFulfilled, onRejected);
  }

  /** Runs the work until it settles or something ends it, and lets go of signal, limit and registry. */
  #start(limits: CallOptions, run: () => Promise<T>): Promise<T> {
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
      this.#isSettled = true;
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

  #context(markSubmitted: () => void): OperationContext {
    return {
      method: this.#method,
      startedAtMs: this.#startedAtMs,
      signal: this.#controller.signal,
      sending: () => {
        if (this.#state !== "not sent") return;
        this.#controller.signal.throwIfAborted();
        this.#state = "sent";
      },
      accepted: (requestId) => {
        this.#requestId ??= requestId;
        if (this.#state === "sent") this.#state = "accepted";
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
    if (this.#isSettled || this.#controller.signal.aborted) return;
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
    if (this.#isAwaited || error instanceof AbortedError || error instanceof ClosedError) return;
    this.#environment.logger.warn(
      `${this.#name} failed and nobody is waiting for it yet: ${errorMessage(error)}`,
    );
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
    return this.#state !== "not sent"
      ? `${this.#name} (being sent; the service may still run it)`
      : `${this.#name} (not sent yet)`;
  }
}
