import {
  AbortedError,
  type Clock,
  type ClosedError,
  type FailedTry,
  onAbort,
  startTimer,
  TimeoutError,
  type WaitLimits,
} from "@tinkex/base";

/** Limits of a call. */
export interface CallLimits extends WaitLimits {
  /** Ends the call as soon as no try of it is under way. */
  readonly stopSignal?: AbortSignal | undefined;
  /** It keeps no process alive. @defaultValue false */
  readonly isBackground?: boolean | undefined;
}

/** Error that ends a call from outside. */
export type Interruption = AbortedError | ClosedError | TimeoutError;

/** A failed try, as it is noted. */
export interface NotedTry {
  /** Number of the try, from 1. */
  readonly attempt: number;
  /** Its failure in a few words. */
  readonly what: string;
  /** The socket's error, where there was no answer. */
  readonly cause: unknown;
}

/** Ends a wait, with a value or with an error. */
export interface Settle<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lifetime of one call: the caller's signal, the limit of the whole call and the transport's closing, whichever comes
 * first. One listener and one timer per call, however many tries it takes.
 */
export class CallLifetime {
  #failure: Interruption | undefined;
  /** Ends the wait that is under way, of which there is one at a time; whoever waits sets it. Once the wait is over it does nothing. */
  onInterrupt: ((failure: Interruption) => void) | undefined;
  /** Says that bytes of a try have begun to leave, and it has not ended: the service may hear of it. */
  isUnderWay = false;
  readonly #stopTimer: (() => void) | undefined;
  readonly #stopListening: (() => void) | undefined;
  readonly #leaveStopSignal: (() => void) | undefined;
  #isStopped = false;
  readonly #name: string;
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #beganAtMs: number;
  readonly #isBackground: boolean;
  #lastFault = "";
  #failedTries: readonly FailedTry[] = [];
  #last: NotedTry | undefined;

  constructor(name: string, clock: Clock, limits: CallLimits) {
    const { signal, stopSignal, timeoutMs = Number.POSITIVE_INFINITY, isBackground = false } = limits;
    this.#isBackground = isBackground;
    this.#name = name;
    this.#clock = clock;
    this.#signal = signal;
    this.#timeoutMs = timeoutMs;
    this.#beganAtMs = clock.monotonic();
    if (signal?.aborted) this.#failure = this.#aborted();
    if (stopSignal?.aborted) this.#failure = this.#stopped(stopSignal.reason);
    if (this.#failure !== undefined) return;
    if (timeoutMs !== Number.POSITIVE_INFINITY) {
      this.#stopTimer = startTimer(timeoutMs, () => this.interrupt(this.#timedOut()), isBackground);
    }
    if (signal !== undefined) {
      this.#stopListening = onAbort(signal, () => this.interrupt(this.#aborted()));
    }
    this.#leaveStopSignal = stopSignal && onAbort(stopSignal, (reason) => this.#stop(reason));
  }

  /** Tells whether the try under way is the last one. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Milliseconds since the call began. */
  get elapsedMs(): number {
    return this.#clock.monotonic() - this.#beganAtMs;
  }

  /** @throws the interruption, if there has been one */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Ends the call. The first interruption counts. */
  interrupt(failure: Interruption): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.end();
    const { onInterrupt } = this;
    // The error's stack holds this object: whoever keeps the error must not keep the connection.
    this.onInterrupt = undefined;
    onInterrupt?.(failure);
  }

  /**
   * Runs one wait of the call. `start` is given how to settle it, and gives back a function that ends it early; once the wait is
   * over that function does nothing.
   */
  during<T>(start: (settle: Settle<T>) => () => void): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise<T>((resolve, reject) => {
      const stop = start({ resolve, reject });
      this.onInterrupt = (failure) => {
        reject(failure);
        stop();
      };
    });
  }

  /** Waits for work that goes on even when the call has ended. */
  outlast<T>(work: Promise<T>): Promise<T> {
    // It may fail when nobody waits for it any more, as for a call that was aborted before.
    work.catch(() => {});
    return this.during(({ resolve, reject }) => {
      work.then(resolve, reject);
      return () => {};
    });
  }

  /** Sleeps, at most until the call's limit. */
  async sleep(ms: number): Promise<void> {
    const leftMs = this.#timeoutMs - this.elapsedMs;
    await this.during<void>(({ resolve, reject }) => {
      const controller = new AbortController();
      const options = { background: this.#isBackground };
      this.#clock.sleep(Math.max(0, Math.min(ms, leftMs)), controller.signal, options).then(resolve, reject);
      return () => controller.abort();
    });
    if (ms >= leftMs) this.interrupt(this.#timedOut());
    this.check();
  }

  /** Remembers a failed try and those before it, for the error should the call's limit run out. */
  note(last: NotedTry, failedTries: readonly FailedTry[]): void {
    this.#failedTries = failedTries;
    this.#last = last;
    this.#lastFault = ` (last: ${last.what})`;
  }

  /** Lets go of the signal and the timer. */
  end(): void {
    this.#stopTimer?.();
    this.#stopListening?.();
    this.#leaveStopSignal?.();
  }

  /** Ends the call, unless a try of it is under way: that one is the last then. */
  #stop(reason: unknown): void {
    this.#isStopped = true;
    if (!this.isUnderWay) this.interrupt(this.#stopped(reason));
  }

  #stopped(cause: unknown): AbortedError {
    const mayHaveArrived = this.#failedTries.some((each) => each.mayHaveArrived);
    return new AbortedError(`${this.#name} was aborted${this.#lastFault}`, { cause, mayHaveArrived });
  }

  #aborted(): AbortedError {
    return new AbortedError(`${this.#name} was aborted`, {
      cause: this.#signal?.reason,
      mayHaveArrived: this.#mayHaveArrived,
    });
  }

  #timedOut(): TimeoutError {
    return new TimeoutError(
      `${this.#name} took longer than its limit of ${this.#timeoutMs} ms${this.#lastFault}`,
      {
        timeoutMs: this.#timeoutMs,
        attempts: (this.#last?.attempt ?? 0) + (this.isUnderWay ? 1 : 0),
        earlierTries: this.#failedTries,
        mayHaveArrived: this.#mayHaveArrived,
        cause: this.#last?.cause,
      },
    );
  }

  get #mayHaveArrived(): boolean {
    return this.isUnderWay || this.#failedTries.some((each) => each.mayHaveArrived);
  }
}
