import type { Tfjs } from "./load-tfjs.js";

/**
 * Keeps tfjs's cpu backend from printing its greeting, six lines on stderr when it is first used on Node: a program that computes a loss
 * has chosen its backend, and `pickBackend` says why it is that one. Nothing else changes, as it would with tfjs's production mode.
 */
export function silenceGreeting(tf: Pick<Tfjs, "findBackend" | "findBackendFactory">): void {
  const factory: unknown = tf.findBackendFactory("cpu");
  if (factory === undefined || factory === null) return;
  const backend: object | null = tf.findBackend("cpu");
  if (backend !== null && "firstUse" in backend) backend.firstUse = false;
}
