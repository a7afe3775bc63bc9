import {
  AbortedError,
  deferred,
  describeValue,
  onAbort,
  ProgressListener,
  TinkexError,
  ValidationError,
} from "@tinkex/base";
import { CALL_OPTIONS } from "../inputs/call-options.js";
import type { SampleOutput } from "./sample-output.js";
import type { SampleOptions, SampleParams } from "./sampling-client.js";

/** Requests of samples that have been dealt with so far. */
export interface SampleProgress {
  /** Requests taken from their source. */
  readonly started: number;
  /** Requests with a response. */
  readonly finished: number;
  /** Requests with an error, retries included. */
  readonly failed: number;
}

/** Options of drawing samples of many requests. `timeoutMs` is the limit of each request. */
export interface SampleManyOptions extends SampleOptions {
  /** Most requests under way or waiting to be taken. @defaultValue 1,000 */
  readonly concurrency?: number | undefined;
  /** `completion` gives results as they come, `call` in the order of the requests. @defaultValue `completion` */
  readonly order?: "completion" | "call" | undefined;
  /** Further attempts of a request whose error says that it may succeed later. @defaultValue 0, beside those that every sample has */
  readonly retries?: number | undefined;
  /** Told after each request. What it throws, at once or later, ends the loop. */
  readonly onProgress?: ((progress: SampleProgress) => void) | undefined;
}

/** The result of one of many requests: a response, or the error that it failed with. */
export type ManySample =
  | { readonly index: number; readonly response: SampleOutput; readonly error?: undefined }
  | { readonly index: number; readonly response?: undefined; readonly error: unknown };

/** The names of {@link SampleManyOptions}. */
export const SAMPLE_MANY_OPTIONS: Readonly<Record<keyof SampleManyOptions, true>> = {
  ...CALL_OPTIONS,
  unchecked: true,
  concurrency: true,
  order: true,
  retries: true,
  onProgress: true,
};

const DEFAULT_CONCURRENCY = 1_000;
const ORDERS: readonly unknown[] = ["completion", "call"];

/** @throws ValidationError for requests that nobody can go through, and options that cannot work */
export function checkMany(method: string, requests: unknown, options: SampleManyOptions): void {
  const { concurrency, order, retries, onProgress } = options;
  const fail = (name: string, wanted: string, got: unknown): never => {
    throw new ValidationError(`${method}: ${name} must be ${wanted}, got ${describeValue(got)}`, {
      path: [name],
    });
  };
  const isIterable =
    typeof requests === "object" &&
    requests !== null &&
    (Symbol.iterator in requests || Symbol.asyncIterator in requests);
  if (!isIterable) fail("requests", "an array or another iterable of requests", requests);
  if (onProgress !== undefined && typeof onProgress !== "function")
    fail("onProgress", "a function", onProgress);
  if (concurrency !== undefined && !(typeof concurrency === "number" && concurrency >= 1))
    fail("concurrency", "1 or more", concurrency);
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0))
    fail("retries", "a whole number of 0 or more", retries);
  if (order !== undefined && !ORDERS.includes(order)) fail("order", `one of ${ORDERS.join(", ")}`, order);
}

type Draw = (params: SampleParams, signal: AbortSignal) => Promise<SampleOutput>;

/**
 * Draws samples of many requests, so many at a time. Requests are taken from their source as there is room, and results are kept until
 * they are taken, so that neither grows without bound. Leaving the loop gives up what is under way, and so does `return()`, at once.
 *
 * @param method - the caller's, for messages
 * @param draw - draws the samples of one request
 */
export function sampleMany(
  method: string,
  requests: Iterable<SampleParams> | AsyncIterable<SampleParams>,
  options: SampleManyOptions,
  draw: Draw,
): AsyncGenerator<ManySample, void, undefined> {
  const left = new AbortController();
  const results = drawMany(method, requests, options, draw, left.signal);
  const { return: end } = results;
  // A generator itself hears of it only after the result that is waited for, which may never come.
  results.return = (value) => {
    left.abort();
    return end.call(results, value);
  };
  return results;
}

async function* drawMany(
  method: string,
  requests: Iterable<SampleParams> | AsyncIterable<SampleParams>,
  options: SampleManyOptions,
  draw: Draw,
  left: AbortSignal,
): AsyncGenerator<ManySample, void, undefined> {
  const { concurrency = DEFAULT_CONCURRENCY, order, retries = 0, onProgress, signal } = options;
  const controller = new AbortController();
  const kept = new Map<number, ManySample>();
  let started = 0;
  let failed = 0;
  let finished = 0;
  let given = 0;
  let source: { readonly error?: unknown } | undefined;
  let changed = deferred<void>();
  const wake = (): void => {
    changed.resolve();
    changed = deferred<void>();
  };
  const leaveSignal =
    signal &&
    onAbort(signal, (reason) => {
      controller.abort(reason);
      // The loop may wait for nothing but its source, which knows of no signal.
      wake();
    });
  const progress = new ProgressListener(onProgress);
  onAbort(progress.signal, wake);
  onAbort(left, wake);
  const attempt = async (params: SampleParams, retriesLeft: number): Promise<SampleOutput> => {
    try {
      return await draw(params, controller.signal);
    } catch (error) {
      const canRetry = retriesLeft > 0 && error instanceof TinkexError && error.retryable;
      if (!canRetry || controller.signal.aborted) throw error;
      return attempt(params, retriesLeft - 1);
    }
  };
  const run = async (params: SampleParams, index: number): Promise<void> => {
    try {
      kept.set(index, { index, response: await attempt(params, retries) });
      finished += 1;
    } catch (error) {
      kept.set(index, { index, error });
      failed += 1;
    }
    progress.tell({ started, finished, failed });
    wake();
  };
  const pump = async (): Promise<void> => {
    for await (const params of requests) {
      while (started - given >= concurrency && !controller.signal.aborted) await changed.promise;
      if (controller.signal.aborted) return;
      void run(params, started);
      started += 1;
    }
  };
  try {
    if (signal?.aborted) throw abortedBy(method, signal);
    pump()
      .then(
        () => {
          source = {};
        },
        (error: unknown) => {
          source = { error };
        },
      )
      .finally(wake);
    for (;;) {
      if (signal?.aborted) throw abortedBy(method, signal);
      progress.signal.throwIfAborted();
      if (left.aborted) return;
      const next = order === "call" ? kept.get(given) : kept.values().next().value;
      if (next !== undefined) {
        kept.delete(next.index);
        given += 1;
        wake();
        yield next;
        continue;
      }
      if (source !== undefined && "error" in source) throw source.error;
      if (source !== undefined && given === started) return;
      await changed.promise;
    }
  } finally {
    leaveSignal?.();
    controller.abort(new Error("the samples are not wanted any more"));
    wake();
  }
}

function abortedBy(method: string, signal: AbortSignal): AbortedError {
  return new AbortedError(`${method} was aborted`, { cause: signal.reason });
}
