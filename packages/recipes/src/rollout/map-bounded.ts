import { onAbort } from "@tinkex/base";

/** Limits of work on many things. */
export interface BoundedWork {
  /** Most things worked on at one time. */
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Works on many things, so many at a time, begun in their order. The first failure gives up the others by the signal that each is given,
 * and is thrown once all of them have ended.
 *
 * @returns the results in the order of the things
 * @throws the first failure; the reason of `signal`
 */
export async function mapBounded<Thing, Result>(
  things: readonly Thing[],
  { concurrency, signal }: BoundedWork,
  work: (thing: Thing, index: number, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  signal?.throwIfAborted();
  const all = new AbortController();
  const leave = signal && onAbort(signal, (reason) => all.abort(reason));
  const results: Result[] = [];
  const failures: unknown[] = [];
  const entries = things.entries();
  const worker = async (): Promise<void> => {
    for (const [index, thing] of entries) {
      if (all.signal.aborted) return;
      try {
        results[index] = await work(thing, index, all.signal);
      } catch (error) {
        failures.push(error);
        all.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, things.length) }, worker));
  leave?.();
  signal?.throwIfAborted();
  if (failures.length > 0) throw failures[0];
  return results;
}
