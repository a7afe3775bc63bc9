import { join, relative } from "node:path";

/** Folder of the repository. */
export const ROOT = join(import.meta.dirname, "..", "..");

/**
 * Gives the path of a file below the repository, with forward slashes: `packages/client/src/index.ts`.
 *
 * @param {string} path
 */
export function relativePath(path) {
  return relative(ROOT, path).replaceAll("\\", "/");
}
