import { isPackageMissing } from "@tinkex/base";

/** Outcome of importing a package that may be missing. */
export type ImportOutcome<Module> = { readonly module: Module } | FailedImport;

/** Failure of an import: whether the package is there at all, and what is wrong. */
export interface FailedImport {
  readonly isMissing: boolean;
  readonly problem: string;
  readonly cause: unknown;
}

/** Waits for the import of the package `name`; a failure is an outcome that says whether the package is there at all. */
export async function importOutcome<Module>(
  name: string,
  load: () => Promise<Module>,
): Promise<ImportOutcome<Module>> {
  try {
    return { module: await load() };
  } catch (cause) {
    return importFailure(name, cause);
  }
}

/** Says what a failed import of the package `name` means. */
export function importFailure(name: string, cause: unknown): FailedImport {
  const message = cause instanceof Error ? cause.message : String(cause);
  const isMissing = isPackageMissing(name, cause);
  // The first line says what is wrong; tfjs-node goes on with advice of several.
  return { isMissing, problem: isMissing ? "it is not installed" : (message.split("\n")[0] ?? ""), cause };
}
