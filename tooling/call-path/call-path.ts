import type { CallName } from "./calls.js";

/** What a call entered, of the sources below `packages/`. */
export interface CallPath {
  /** Names of the functions entered, by file; a function without a name has an empty one. */
  readonly functions: Readonly<Record<string, readonly string[]>>;
  readonly filesInOrder: readonly string[];
}

/** How many files and functions a call enters. */
export interface PathSize {
  readonly files: number;
  readonly functions: number;
}

/** Most files and functions that a call may enter. Functions are bounded where the way is longest. */
export const LIMITS: Readonly<Record<CallName, Partial<PathSize>>> = {
  forwardBackward: { files: 60, functions: 220 },
  optimStep: { files: 40 },
  sample: { files: 50 },
};

/** Counts a call's files and functions, in all and by package. */
export function sizeOf({ functions }: CallPath): {
  readonly total: PathSize;
  readonly byPackage: Readonly<Record<string, PathSize>>;
} {
  const byPackage: Record<string, PathSize> = {};
  const total = { files: 0, functions: 0 };
  for (const [file, names] of Object.entries(functions)) {
    const [, name = ""] = file.split("/");
    const before = byPackage[name] ?? { files: 0, functions: 0 };
    byPackage[name] = { files: before.files + 1, functions: before.functions + names.length };
    total.files += 1;
    total.functions += names.length;
  }
  return { total, byPackage };
}
