import { ValidationError } from "@tinkex/base";
import type { Tfjs } from "./load-tfjs.js";

/**
 * Refuses to compute without a backend, which `@tensorflow/tfjs-core` alone does not have: tfjs itself says no more than that its registry
 * is empty.
 *
 * @throws ValidationError with the call that takes one
 */
export function checkBackend(tf: Pick<Tfjs, "engine">): void {
  for (const _ in tf.engine().registryFactory) return;
  throw new ValidationError(
    "tfjs has no backend yet; await pickBackend() first, which takes the fastest that is installed",
  );
}
