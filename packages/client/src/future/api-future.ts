import {
  AbortedError,
  checkFunction,
  checkTimeoutMs,
  deferred,
  describeValue,
  ValidationError,
  type WaitLimits,
  waitFor,
} from "@tinkex/base";
import type { OperationEvents } from "../events/operation-events.js";
import { checkOptions, WAIT_LIMITS } from "../inputs/call-options.js";
import type { FutureEnvironment, OperationCall } from "./future-environment.js";
import type { OperationContext, QueueStateEvent } from "./operation-context.js";
import { RunningOperation } from "./running-operation.js";

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
        const { name, requestId, state } = this.#operation;
        return `ApiFuture { ${name}${requestId === undefined ? "" : `, request ${requestId}`}, ${state} }`;
      },
    });
  }

  readonly #operation: RunningOperation;

  private constructor(
    call: OperationCall,
    environment: FutureEnvironment,
    run: (context: OperationContext) => Promise<T>,
    events: OperationEvents | undefined,
  ) {
    if (call.options.timeoutMs !== undefined) checkTimeoutMs(call.options.timeoutMs);
    let fulfil: (value: T) => void = () => {};
    let reject: (error: unknown) => void = () => {};
    super((onValue, onError) => {
      fulfil = onValue;
      reject = onError;
    });
    const operation = new RunningOperation(call, environment, events);
    this.#operation = operation;
    const fail = (error: unknown): void => {
      // A rejection may come before anyone looks. That alone must not end the process.
      super.then(undefined, () => operation.noteFailure(error));
      reject(error);
    };
    if (events === undefined) {
      operation.run(run, { resolve: fulfil, reject: fail });
      return;
    }
    const running = (): Promise<T> => {
      const ended = deferred<T>();
      operation.run(run, ended);
      return ended.promise;
    };
    events.run(running).then(fulfil, fail);
  }

  /**
   * Resolves when the service has accepted the operation with all its requests; from then on the arrays it was given may be
   * changed. Rejects when it never will.
   */
  get submitted(): Promise<void> {
    return this.#operation.submission;
  }

  /** The service's id of the operation (of its first request), once it was accepted. */
  get requestId(): string | undefined {
    return this.#operation.requestId;
  }

  /** The operation's place in its model's order, by which the service runs it (that of its first request), once it was accepted. */
  get seqId(): number | undefined {
    return this.#operation.seqId;
  }

  /**
   * Waits for the result under limits of this wait alone. When they end it the operation goes on and may be awaited again.
   *
   * @throws TimeoutError, AbortedError, and whatever the operation fails with
   */
  result(limits: WaitLimits = {}): Promise<T> {
    checkOptions<WaitLimits>(limits, WAIT_LIMITS, "result");
    const operation = this.#operation;
    operation.enterWait();
    const leave = (): void => operation.leaveWait();
    // Through the promise's own method: ours would count a wait that lasts.
    const settled = super.then((value) => value);
    const wait = waitFor(settled, limits, operation.clock, {
      timedOut: (timeoutMs) => operation.timedOut(timeoutMs),
      aborted: (cause) => new AbortedError(`waiting for ${operation.describeCall()} was aborted`, { cause }),
    });
    settled.catch(() => {});
    wait.then(leave, leave);
    return wait;
  }

  /**
   * Gives the operation up: the future rejects with `AbortedError`, and the service is asked to stop where it can be.
   *
   * The future rejects at once. The promise that this method returns resolves after that, since it waits for the service's answer.
   *
   * @returns true when the operation was never sent, or the service was told to stop it; false when it had settled before,
   * or may still run on the service
   */
  cancel(): Promise<boolean> {
    return this.#operation.cancel();
  }

  /**
   * Calls `listener` whenever the service says how the operation stands in its queue. Returns what ends that.
   *
   * @throws ValidationError for an event that there is not, or a listener that is no function
   */
  on(event: "queueState", listener: (event: QueueStateEvent) => void): () => void {
    if (event !== "queueState") {
      throw new ValidationError(`on: event must be "queueState", got ${describeValue(event)}`, {
        path: ["event"],
      });
    }
    checkFunction(listener, "on: listener");
    return this.#operation.listen(listener);
  }

  // biome-ignore lint/suspicious/noThenProperty: a future is made to be awaited
  override then<Value = T, Failure = never>(
    onFulfilled?: ((value: T) => Value | PromiseLike<Value>) | null,
    onRejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Value | Failure> {
    this.#operation.enterWait();
    return super.then(onFulfilled, onRejected);
  }
}
