import { AbortedError, LinkedList } from "@tinkex/base";

/** Events of a run that nobody has read yet are kept up to this many; the oldest go first. */
const MAX_KEPT_EVENTS = 100_000;

/** Reader that waits for the next event. */
interface Waiting<Event> {
  readonly resolve: (result: IteratorResult<Event, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/** The recipe as its caller knows it, and the signal that ends it. */
export interface RunControl {
  readonly method: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * A recipe that is running. Awaited it gives the result, iterated its events, from the first on; it has started already. A failure reaches
 * whoever awaits or iterates it, and nobody else: a run that is left alone ends no process.
 */
export class RecipeRun<Result, Event> implements PromiseLike<Result>, AsyncIterable<Event> {
  readonly #result: Promise<Result>;
  readonly #events = new LinkedList<Event>();
  #waiting: Waiting<Event>[] = [];
  #end: { readonly error?: unknown } | undefined;

  /**
   * Starts the work at once.
   *
   * @internal
   * @param work - gives the result, and tells of events as they happen; the reason of the signal that it throws becomes an AbortedError
   */
  constructor({ method, signal }: RunControl, work: (tell: (event: Event) => void) => Promise<Result>) {
    const start = async (): Promise<Result> => {
      // Before a folder is made.
      signal?.throwIfAborted();
      return work((event) => this.#tell(event));
    };
    this.#result = start().catch((error: unknown) => {
      if (!signal?.aborted || error !== signal.reason) throw error;
      throw new AbortedError(`${method} was aborted`, { cause: error });
    });
    this.#result.then(
      () => this.#finish({}),
      (error: unknown) => this.#finish({ error }),
    );
  }

  // biome-ignore lint/suspicious/noThenProperty: a run is made to be awaited
  then<Value = Result, Failure = never>(
    onFulfilled?: ((value: Result) => Value | PromiseLike<Value>) | null,
    onRejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Value | Failure> {
    return this.#result.then(onFulfilled, onRejected);
  }

  /** As a promise's. */
  catch<Failure = never>(
    onRejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.#result.catch(onRejected);
  }

  /** As a promise's. */
  finally(onSettled?: (() => void) | null): Promise<Result> {
    return this.#result.finally(onSettled);
  }

  /** Events in order, to one reader. Ends with the run, with its error where it failed; leaving the loop does not stop the run. */
  [Symbol.asyncIterator](): AsyncIterator<Event, undefined> {
    return {
      next: () => this.#next(),
      return: async () => ({ done: true, value: undefined }),
    };
  }

  #tell(event: Event): void {
    const reader = this.#waiting.shift();
    if (reader === undefined) this.#events.add(event);
    else reader.resolve({ done: false, value: event });
    if (this.#events.length > MAX_KEPT_EVENTS) this.#events.shift();
  }

  #next(): Promise<IteratorResult<Event, undefined>> {
    const event = this.#events.shift();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (this.#end === undefined) {
      return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    }
    return "error" in this.#end
      ? Promise.reject(this.#end.error)
      : Promise.resolve({ done: true, value: undefined });
  }

  #finish(end: { readonly error?: unknown }): void {
    this.#end = end;
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if ("error" in end) reject(end.error);
      else resolve({ done: true, value: undefined });
    }
  }
}
