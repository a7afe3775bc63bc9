import type * as tfjsCore from "@tensorflow/tfjs-core";
import { TinkexError } from "@tinkex/base";
import { builtinModule } from "./builtin-module.js";
import { type FailedImport, importFailure, importOutcome } from "./import-outcome.js";

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
  const failures: ImportFailure[] = [];
  for (const { name, load } of packages) {
    const outcome = await importOutcome(name, load);
    if ("module" in outcome) return outcome.module;
    failures.push({ name, ...outcome });
  }
  throw missingTfjs(failures);
}

/**
 * Loads the user's copy of tfjs as {@link loadTfjs} does, without waiting: Node reads its packages of CommonJS at once.
 *
 * @throws TinkexError (`missing_dependency`) as {@link loadTfjs} does
 */
export function loadTfjsNow(
  require: (name: string) => unknown = requireOfNode(),
  names: readonly string[] = TFJS_PACKAGES.map(({ name }) => name),
): Tfjs {
  const failures: ImportFailure[] = [];
  for (const name of names) {
    try {
      // The package of that name is tfjs, or the part of it that is read here.
      return require(name) as Tfjs;
    } catch (cause) {
      failures.push({ name, ...importFailure(name, cause) });
    }
  }
  throw missingTfjs(failures);
}

/** The part of Node's module of that name in use; its types are Node's, which this entry does without. */
interface NodeModuleLoader {
  createRequire(url: string): (name: string) => unknown;
}

function requireOfNode(): (name: string) => unknown {
  const module = builtinModule("node:module") as NodeModuleLoader | undefined;
  if (module === undefined) throw new Error("this build of @tinkex/tensor/tfjs is for Node");
  return module.createRequire(import.meta.url);
}

type ImportFailure = { readonly name: string } & FailedImport;

function missingTfjs(failures: readonly ImportFailure[]): TinkexError {
  const broken = failures.filter(({ isMissing }) => !isMissing);
  const last = broken.at(-1);
  const state = last === undefined ? "is not installed" : `cannot be loaded (${last.name}: ${last.problem})`;
  return new TinkexError(
    `@tinkex/tensor/tfjs needs tfjs, which ${state}. Install it: npm install @tensorflow/tfjs`,
    { code: "missing_dependency", cause: broken[0]?.cause },
  );
}
