import { type Clock, ClosedError, type Logger } from "@tinkex/base";
import type { OperationInfo } from "@tinkex/types";
import type { EventHub } from "../events/event-hub.js";
import type { FailureListener } from "../events/failure-listener.js";
import { type OperationDescription, OperationEvents } from "../events/operation-events.js";
import { CALL_OPTIONS, type CallOptions, checkOptions } from "../inputs/call-options.js";
import { type ApiFuture, startFuture } from "./api-future.js";
import type { Endable, FutureEnvironment, OperationRegistry } from "./future-environment.js";
import type { OperationContext, SdkMethod } from "./operation-context.js";
import { SlowOperationLog } from "./slow-operation-log.js";
import { UnawaitedFailures } from "./unawaited-failures.js";

/** The ports that all operations of a service client share. */
export interface LifecyclePorts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Limit of a call that has none of its own, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Nobody but this package sees the signals of operations: neither the transport nor the clock is the caller's. */
  readonly hidesSignals?: boolean | undefined;
  /** Publishes what happens; `undefined` when nobody may hear. */
  readonly events?: EventHub | undefined;
  /** Told of what fails. */
  readonly failureListener?: FailureListener | undefined;
}

/** Model or sampler that the calls of a client are about, as messages name it. */
export type ClientSubject = Pick<OperationInfo, "modelId" | "samplingSessionId" | "baseModel">;

/** The class whose methods a client's operations are, as the service's statistics know it. */
export type ClientClass =
  | "ServiceClient"
  | "TrainingClient"
  | "SamplingClient"
  | "RestClient"
  | "AdminClient";

/**
 * The operations of one client, which end when it, or the service client it belongs to, is closed. Nothing holds on to a client
 * without operations: a training loop makes a sampling client a step and need not close them.
 */
export class ClientLifecycle implements OperationRegistry {
  /** Aborts when the client is closed, for what runs in the background. */
  readonly closing: AbortSignal;
  readonly #class: ClientClass;
  readonly #name: string;
  readonly #subject: ClientSubject | undefined;
  readonly #ports: LifecyclePorts;
  /** This client, and those it belongs to. */
  readonly #line: readonly ClientLifecycle[];
  readonly #failures: UnawaitedFailures;
  readonly #slow: SlowOperationLog;
  /** The parts that all futures of this client share. */
  readonly #futures: FutureEnvironment;
  readonly #controller = new AbortController();
  readonly #operations = new Set<Endable>();

  /** @param name - the client as error messages call it */
  constructor(
    clientClass: ClientClass,
    name: string,
    ports: LifecyclePorts,
    parent?: ClientLifecycle,
    subject?: ClientSubject,
  ) {
    this.closing = this.#controller.signal;
    this.#class = clientClass;
    this.#name = name;
    this.#subject = subject;
    this.#ports = ports;
    this.#failures = parent === undefined ? new UnawaitedFailures(ports.logger) : parent.#failures;
    this.#slow = parent === undefined ? new SlowOperationLog(ports) : parent.#slow;
    this.#line = [this, ...(parent === undefined ? [] : parent.#line)];
    this.#futures = { ...ports, live: this, failures: this.#failures, slow: this.#slow };
  }

  /** Makes the lifecycle of a client that belongs to this one. */
  child(clientClass: ClientClass, name: string, subject?: ClientSubject): ClientLifecycle {
    return new ClientLifecycle(clientClass, name, this.#ports, this, subject);
  }

  /** Operations that have not settled. */
  get size(): number {
    return this.#operations.size;
  }

  /**
   * Checks a call before anything of it happens.
   *
   * @param method - the method as its caller spells it, e.g. `optimStep`
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
    for (const { closing } of this.#line) closing.throwIfAborted();
    checkOptions(options, known, method);
  }

  /**
   * Runs an operation behind a future.
   *
   * @param name - the method as its caller spells it, e.g. `optimStep`
   * @param describe - gives facts for those who hear of the operation, if anybody does
   */
  start<T>(
    name: string,
    options: CallOptions,
    run: (context: OperationContext) => Promise<T>,
    describe: () => OperationDescription<T> = () => ({}),
  ): ApiFuture<T> {
    const methods = METHODS[this.#class];
    let method = methods.get(name);
    if (method === undefined) {
      method = `${this.#class}.${name.replace(/[A-Z]/g, "_$&").toLowerCase()}`;
      methods.set(name, method);
    }
    const { signal, headers, timeoutMs = this.#ports.timeoutMs } = options;
    const { events } = this.#ports;
    const operationId = events?.takeOperationId() ?? 0;
    const call = { name, method, operationId, options: { signal, headers, timeoutMs } };
    const environment = this.#futures;
    if (events?.isHeard("operation") !== true) return startFuture(call, environment, run);
    const { given, outcome, content } = describe();
    const info = { operationId, client: this.#class, method: name, ...this.#subject, ...given?.() };
    const operation = new OperationEvents(events, info);
    const described = async (context: OperationContext): Promise<T> => {
      if (content !== undefined) operation.content(content.given);
      const value = await run(context);
      if (outcome !== undefined) operation.noteOutcome(outcome(value));
      if (content !== undefined) operation.content(() => content.outcome(value));
      return value;
    };
    return startFuture(call, environment, described, operation);
  }

  add(operation: Endable): void {
    for (const { closing } of this.#line) if (closing.aborted) operation.end(closing.reason);
    for (const each of this.#line) each.#operations.add(operation);
  }

  delete(operation: Endable): void {
    for (const each of this.#line) each.#operations.delete(operation);
  }

  /** Ends all operations, and the background work, with `ClosedError`. May be called twice. */
  close(): void {
    if (this.closing.aborted) return;
    const reason = new ClosedError(`${this.#name} is closed`);
    this.#controller.abort(reason);
    for (const operation of [...this.#operations]) operation.end(reason);
  }
}

/** Names of methods as the service's statistics know them, by class and by those that callers use: there are few, and each is used often. */
const METHODS: Readonly<Record<ClientClass, Map<string, SdkMethod>>> = {
  ServiceClient: new Map(),
  TrainingClient: new Map(),
  SamplingClient: new Map(),
  RestClient: new Map(),
  AdminClient: new Map(),
};
