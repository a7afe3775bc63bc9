interface Listeners {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const bySignal = new WeakMap<AbortSignal, Listeners>();

/**
 * Calls `callback` when the signal fires. However many wait on one signal, it has a single listener of ours: from
 * eleven on Node warns of a leak. Returns what takes the callback back; with the last one the listener goes too.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let entry = bySignal.get(signal);
  if (entry === undefined) {
    const callbacks = new Set<() => void>();
    const listener = (): void => {
      bySignal.delete(signal);
      for (const each of callbacks) each();
    };
    entry = { callbacks, listener };
    bySignal.set(signal, entry);
    signal.addEventListener("abort", listener, { once: true });
  }
  const { callbacks, listener } = entry;
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0 || bySignal.get(signal)?.listener !== listener) return;
    bySignal.delete(signal);
    signal.removeEventListener("abort", listener);
  };
}
