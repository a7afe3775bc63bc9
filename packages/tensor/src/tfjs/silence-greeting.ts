import type { Tfjs } from "./load-tfjs.js";

/**
 * Keeps tfjs's cpu backend from printing its greeting, six lines on stderr when it is first used on Node: a program that computes a loss
 * has chosen its backend, and `pickBackend` says why it is that one. Nothing else changes, as it would with tfjs's production mode.
 */
export function silenceGreeting(tf: Pick<Tfjs, "engine">): void {
  const { registry, registryFactory } = tf.engine();
  silence(registry.cpu);
  const entry = registryFactory.cpu;
  if (entry === undefined || silenced.has(entry)) return;
  silenced.add(entry);
  // tfjs makes the backend anew when it chooses one itself.
  const { factory } = entry;
  entry.factory = () => silence(factory());
}

/** Factories that make a silent backend already. */
const silenced = new WeakSet<object>();

function silence<Backend>(backend: Backend): Backend {
  if (typeof backend === "object" && backend !== null && "firstUse" in backend) backend.firstUse = false;
  return backend;
}
