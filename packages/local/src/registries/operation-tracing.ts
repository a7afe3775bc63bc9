import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock, Logger, ServedPhase, ServerTracer } from "@tinkex/base";
import { OperationFailure } from "../errors/operation-failure.js";
import { timesFrom } from "./session-timeline.js";

/** The request that is being handled, as far as a tracer wants to know it. */
export interface TracedRequest {
  readonly endpoint: string;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

export interface OperationTracingOptions {
  readonly tracer: ServerTracer;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly logger: Pick<Logger, "warn">;
}

/** Times of an operation that has not ended. */
interface OpenOperation {
  readonly startedAtMs: number;
  readonly now: () => number;
  /** Time at which its turn came; `undefined` for one that waits for none. */
  runAtMs: number | undefined;
  /** Milliseconds for which it waited until its graph was compiled. */
  compileMs: number;
}

/** Tells a tracer of operations: which request asked for each, and when it waited, compiled and ran. */
export class OperationTracing {
  readonly #options: OperationTracingOptions;
  readonly #requests = new AsyncLocalStorage<TracedRequest>();
  readonly #operations = new AsyncLocalStorage<OpenOperation>();

  constructor(options: OperationTracingOptions) {
    this.#options = options;
  }

  /** Handles a request: operations that are started meanwhile are its. */
  duringRequest<T>(request: TracedRequest, handle: () => T): T {
    return this.#requests.run(request, handle);
  }

  /** Starts an operation of the request that is handled now, and records it when it has ended. */
  follow<T>(start: () => Promise<T>): Promise<T> {
    const request = this.#requests.getStore();
    if (request === undefined) return start();
    const now = timesFrom(this.#options.clock);
    const open: OpenOperation = { startedAtMs: now(), now, runAtMs: undefined, compileMs: 0 };
    const work = this.#operations.run(open, start);
    work.then(
      () => this.#record(request, open, undefined),
      (error: unknown) => this.#record(request, open, OperationFailure.from(error).category),
    );
    return work;
  }

  /** Gives `run` as the part of the operation that is started now which begins with its turn. */
  inTurn<T>(run: () => Promise<T>): () => Promise<T> {
    const open = this.#operations.getStore();
    if (open === undefined) return run;
    return () => {
      open.runAtMs = open.now();
      // A queue runs the operations of others in the context of its first.
      return this.#operations.run(open, run);
    };
  }

  /** Notes for how long the operation under way waited until its graph was compiled. */
  compiled(durationMs: number): void {
    const open = this.#operations.getStore();
    if (open !== undefined) open.compileMs += durationMs;
  }

  #record(request: TracedRequest, open: OpenOperation, errorType: string | undefined): void {
    const { tracer, logger } = this.#options;
    const { startedAtMs } = open;
    const endedAtMs = open.now();
    const phases = phasesOf(open, endedAtMs);
    try {
      tracer.record({ ...request, startedAtMs, endedAtMs, phases, errorType });
    } catch (error) {
      logger.warn(`the tracer threw at an operation ${request.endpoint}`, { error });
    }
  }
}

/** The phases of an operation, one after the other: a graph is compiled before it runs first. */
function phasesOf({ startedAtMs, runAtMs, compileMs }: OpenOperation, endedAtMs: number): ServedPhase[] {
  const turnAtMs = runAtMs ?? startedAtMs;
  const compiledAtMs = Math.min(turnAtMs + compileMs, endedAtMs);
  const phases: ServedPhase[] = [];
  if (runAtMs !== undefined) phases.push({ name: "queue", startedAtMs, endedAtMs: turnAtMs });
  if (compileMs > 0) phases.push({ name: "compile", startedAtMs: turnAtMs, endedAtMs: compiledAtMs });
  phases.push({ name: "run", startedAtMs: compiledAtMs, endedAtMs });
  return phases;
}
