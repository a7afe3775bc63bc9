import type * as tfjsCore from "@tensorflow/tfjs-core";
import { TinkexError } from "@tinkex/base";
import { importOutcome } from "./import-outcome.js";

/** The operations of tfjs that are used here: those of `@tensorflow/tfjs-core`, which every tfjs has. */
export type Tfjs = typeof tfjsCore;

/** A package that brings tfjs, and how to import it: written out each, so that bundlers see the import. */
export interface TfjsPackage {
  readonly name: string;
  readonly load: () => Promise<Tfjs>;
}

/** In order of preference: on Node, only the whole of tfjs registers the gradients of its operations. */
const TFJS_PACKAGES: readonly TfjsPackage[] = [
  { name: "@tensorflow/tfjs", load: () => import("@tensorflow/tfjs") },
  { name: "@tensorflow/tfjs-core", load: () => import("@tensorflow/tfjs-core") },
];

/**
 * Loads the user's copy of tfjs. Copies of different versions share one engine and its tensors, so that it matters little which
 * of them this package finds.
 *
 * @throws TinkexError (`missing_dependency`) naming the install command when there is none that loads
 */
export async function loadTfjs(packages: readonly TfjsPackage[] = TFJS_PACKAGES): Promise<Tfjs> {
  let cause: unknown;
  let state = "is not installed";
  for (const { name, load } of packages) {
    const outcome = await importOutcome(name, load);
    if ("module" in outcome) return outcome.module;
    if (!outcome.isMissing) {
      cause ??= outcome.cause;
      state = `cannot be loaded (${name}: ${outcome.problem})`;
    }
  }
  throw new TinkexError(
    `@tinkex/tensor/tfjs needs tfjs, which ${state}. Install it: npm install @tensorflow/tfjs`,
    { code: "missing_dependency", cause },
  );
}
