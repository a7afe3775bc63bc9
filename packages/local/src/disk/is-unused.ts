import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CHECKPOINT_KINDS } from "./checkpoint-record.js";
import { type DataLayout, RUN_FILE } from "./data-layout.js";

/** Tells that a data directory holds no checkpoint, and nothing that a server did not put there. */
export async function isUnused(layout: DataLayout): Promise<boolean> {
  const entries = await readdir(layout.root, { recursive: true, withFileTypes: true });
  return entries.every((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isDirectory() ? isOwnFolder(layout, path) : entry.isFile() && isOwnFile(layout, path);
  });
}

const RUN_FOLDERS: readonly string[] = [...CHECKPOINT_KINDS, "staging", "retired"];

function isOwnFolder({ runs, parked, lock, modelWeights }: DataLayout, path: string): boolean {
  const parent = dirname(path);
  if ([runs, parked, lock, modelWeights].includes(path) || parent === runs) return true;
  return dirname(parent) === runs && RUN_FOLDERS.includes(basename(path));
}

function isOwnFile({ runs, lock, modelWeights }: DataLayout, path: string): boolean {
  const parent = dirname(path);
  return (
    parent === lock || parent === modelWeights || (dirname(parent) === runs && basename(path) === RUN_FILE)
  );
}
