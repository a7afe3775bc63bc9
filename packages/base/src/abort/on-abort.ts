/** Who wants to hear of a signal, and the one listener that tells them. */
interface Audience {
  readonly callbacks: Set<(reason: unknown) => void>;
  readonly listener: () => void;
}

const audiences = new WeakMap<AbortSignal, Audience>();

/**
 * Calls `callback` when `signal` aborts. However many wait for one signal, it has one listener: Node warns of a leak from the
 * eleventh on, and a signal shared by hundreds of samples is ordinary use.
 *
 * @returns what ends that; the listener goes with the last callback
 */
export function onAbort(signal: AbortSignal, callback: (reason: unknown) => void): () => void {
  const { callbacks, listener } = audiences.get(signal) ?? attend(signal);
  // Wrapped, so that the same function given twice counts twice.
  const entry = (reason: unknown): void => callback(reason);
  callbacks.add(entry);
  return () => {
    callbacks.delete(entry);
    if (callbacks.size > 0 || audiences.get(signal)?.callbacks !== callbacks) return;
    audiences.delete(signal);
    signal.removeEventListener("abort", listener);
  };
}

function attend(signal: AbortSignal): Audience {
  const callbacks = new Set<(reason: unknown) => void>();
  const listener = (): void => {
    audiences.delete(signal);
    for (const callback of callbacks) callback(signal.reason);
  };
  const audience: Audience = { callbacks, listener };
  audiences.set(signal, audience);
  signal.addEventListener("abort", listener, { once: true });
  return audience;
}
