import type { Tensor1D } from "@tensorflow/tfjs-core";
import { tf } from "../tf.js";
import { countedMask, keepCounted } from "./counted-mask.js";
import type { TermContext } from "./loss-term.js";
import { type Reference, referenceRow } from "./reference-row.js";

/** Gives `p − r` where it counts and 0 elsewhere, `p` the log-probability and `r` the reference; `p` itself without one. */
export function countedDifference(context: TermContext, reference: Reference | undefined): Tensor1D {
  const { joined } = context;
  const difference =
    reference === undefined ? joined : tf.sub<Tensor1D>(joined, referenceRow(reference, context));
  return keepCounted(difference, countedMask(context));
}
