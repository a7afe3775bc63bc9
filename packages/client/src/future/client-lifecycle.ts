import { type Clock, ClosedError, type Logger, type TinkexError } from "@tinkex/base";
import { CALL_OPTIONS, type CallOptions, checkOptions } from "../inputs/call-options.js";
import { type ApiFuture, startFuture } from "./api-future.js";
import type { OperationContext, SdkMethod } from "./operation-context.js";

/** The place where an operation says how it can be ended, for as long as it lasts. */
export interface OperationRegistry {
  /** Returns a function that takes the operation out again. An operation that comes too late is ended at once. */
  add(end: (reason: TinkexError) => void): () => void;
}

/** The operations that have not settled, so that closing a client can end them. */
export class LiveOperations implements OperationRegistry {
  readonly #enders = new Set<(reason: TinkexError) => void>();
  #ended: TinkexError | undefined;

  add(end: (reason: TinkexError) => void): () => void {
    if (this.#ended !== undefined) {
      end(this.#ended);
      return () => {};
    }
    this.#enders.add(end);
    return () => this.#enders.delete(end);
  }

  /** Ends every operation, and those still to come, with `reason`. */
  endAll(reason: TinkexError): void {
    this.#ended ??= reason;
    for (const end of [...this.#enders]) end(reason);
    this.#enders.clear();
  }

  get size(): number {
    return this.#enders.size;
  }
}

/** The ports that all operations of a service client share. */
export interface LifecyclePorts {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The class whose methods a client's operations are, as the service's statistics know it. */
export type ClientClass = "ServiceClient" | "TrainingClient" | "SamplingClient";

/**
 * The operations of one client, which end when it, or the service client it belongs to, is closed. Nothing holds on to a client
 * without operations: a training loop makes a sampling client a step and need not close them.
 */
export class ClientLifecycle implements OperationRegistry {
  readonly #class: ClientClass;
  readonly #name: string;
  readonly #ports: LifecyclePorts;
  readonly #parent: ClientLifecycle | undefined;
  readonly #live = new LiveOperations();
  readonly #closing = new AbortController();

  /** @param name - what messages call the client */
  constructor(clientClass: ClientClass, name: string, ports: LifecyclePorts, parent?: ClientLifecycle) {
    this.#class = clientClass;
    this.#name = name;
    this.#ports = ports;
    this.#parent = parent;
  }

  /** Makes the lifecycle of a client that belongs to this one. */
  child(clientClass: ClientClass, name: string): ClientLifecycle {
    return new ClientLifecycle(clientClass, name, this.#ports, this);
  }

  /** Aborts when the client is closed, for what runs in the background. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * Checks a call before anything of it happens.
   *
   * @param known - the names of its options. @defaultValue those of {@link CallOptions}
   * @throws ClosedError once the client, or its service client, is closed; ValidationError for an option that nobody reads
   */
  checkCall(method: string, options: CallOptions): void;
  checkCall<Options extends CallOptions>(
    method: string,
    options: Options,
    known: Readonly<Record<keyof Options & string, true>>,
  ): void;
  checkCall(method: string, options: CallOptions, known = CALL_OPTIONS): void {
    this.checkOpen();
    checkOptions(options, known, method);
  }

  /** @throws ClosedError once the client, or its service client, is closed */
  checkOpen(): void {
    this.#closing.signal.throwIfAborted();
    this.#parent?.checkOpen();
  }

  /** Runs an operation behind a future. @param operation - the method in snake_case, e.g. `optim_step` */
  start<T>(
    operation: string,
    limits: CallOptions,
    run: (context: OperationContext) => Promise<T>,
  ): ApiFuture<T> {
    const method: SdkMethod = `${this.#class}.${operation}`;
    return startFuture(method, { ...this.#ports, live: this }, limits, run);
  }

  add(end: (reason: TinkexError) => void): () => void {
    const leaveOwn = this.#live.add(end);
    const leaveParent = this.#parent?.add(end);
    return () => {
      leaveOwn();
      leaveParent?.();
    };
  }

  /** Ends all operations, and the background work, with `ClosedError`. May be called twice. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    const reason = new ClosedError(`${this.#name} is closed`);
    this.#closing.abort(reason);
    this.#live.endAll(reason);
  }
}
