import type { Clock, Logger, TinkexError } from "@tinkex/base";
import type { EventHub } from "../events/event-hub.js";
import type { FailureListener } from "../events/failure-listener.js";
import type { CallOptions } from "../inputs/call-options.js";
import type { SdkMethod } from "./operation-context.js";
import type { SlowOperationLog } from "./slow-operation-log.js";
import type { UnawaitedFailures } from "./unawaited-failures.js";

/** An operation as whoever ends it sees it. */
export interface Endable {
  end(reason: TinkexError): void;
}

/** The place where an operation says how it can be ended, for as long as it lasts. */
export interface OperationRegistry {
  /** Adds an operation. One that comes too late is ended at once. */
  add(operation: Endable): void;
  /** Takes an operation out again. */
  delete(operation: Endable): void;
}

/** The ports and the registry that all futures of a service client share. */
export interface FutureEnvironment {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly live: OperationRegistry;
  readonly failures: UnawaitedFailures;
  readonly slow: SlowOperationLog;
  /** Nobody but this package sees the signals of operations: neither the transport nor the clock is the caller's. */
  readonly hidesSignals?: boolean | undefined;
  readonly events?: EventHub | undefined;
  /** Told of what fails. */
  readonly failureListener?: FailureListener | undefined;
}

/** One call of a public method. */
export interface OperationCall {
  /** The method as its caller spells it, e.g. `optimStep`. */
  readonly name: string;
  readonly method: SdkMethod;
  /** Number of the call among those of its service client. */
  readonly operationId: number;
  readonly options: CallOptions;
}
