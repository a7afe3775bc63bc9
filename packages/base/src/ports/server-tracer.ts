/** Part of an operation on a server: it waits in a queue, a graph is compiled for it, it runs. */
export interface ServedPhase {
  readonly name: "queue" | "compile" | "run";
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** One operation that a server was asked for, and that has ended. */
export interface ServedOperation {
  /** Name of the endpoint, e.g. `forward_backward`. */
  readonly endpoint: string;
  /** Header of the request that asked for it, by W3C Trace Context, as it came. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  /** Milliseconds since 1970, when the request had been read. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** In the order of time. */
  readonly phases: readonly ServedPhase[];
  /** Origin of the fault, `user` or `server`, of an operation that failed. */
  readonly errorType: string | undefined;
}

/** Receiver of the operations of a server, which makes spans of them below those of the callers. */
export interface ServerTracer {
  /** Told of an operation once it has ended. What it throws is logged, and harms no operation. */
  record(operation: ServedOperation): void;
}
