import { LightSignal } from "./light-signal.js";
import { tellOfAbort } from "./tell-of-abort.js";

/** One wait for a signal: an object, so that the same function given twice counts twice. */
interface Entry {
  readonly callback: (reason: unknown) => void;
}

/** Callbacks waiting for one signal, and the listener they share. */
interface Audience {
  readonly entries: Set<Entry>;
  readonly listener: () => void;
}

const audiences = new WeakMap<AbortSignal, Audience>();

/**
 * Calls `callback` when `signal` aborts. However many wait for one signal, it has one listener: Node warns of a leak from the
 * eleventh on, and a signal shared by hundreds of samples is ordinary use.
 *
 * @returns a function that ends that; the listener goes with the last callback
 */
export function onAbort(signal: AbortSignal, callback: (reason: unknown) => void): () => void {
  if (signal instanceof LightSignal) return signal.listen(callback);
  let audience = audiences.get(signal);
  if (audience === undefined) {
    const entries = new Set<Entry>();
    const listener = (): void => {
      audiences.delete(signal);
      for (const entry of entries) tellOfAbort(entry.callback, signal.reason);
    };
    audience = { entries, listener };
    audiences.set(signal, audience);
    signal.addEventListener("abort", listener, { once: true });
  }
  const { entries, listener } = audience;
  const entry: Entry = { callback };
  entries.add(entry);
  return () => {
    entries.delete(entry);
    if (entries.size > 0 || audiences.get(signal)?.entries !== entries) return;
    audiences.delete(signal);
    signal.removeEventListener("abort", listener);
  };
}

/**
 * Waits for `run`, but no longer than until `signal` aborts. What was begun goes on by itself then, and its outcome counts no
 * more.
 *
 * @throws what `run` throws; the reason of `signal`
 */
export async function raceAbort<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const leave = onAbort(signal, reject);
    run().then(resolve, reject).finally(leave);
  });
}
