import { lstat, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { checkPlace, checkReplaceable } from "./check-place.js";
import type { DownloadedCheckpoint, DownloadedFile } from "./download-options.js";
import { RECORD_NAME } from "./safe-names.js";

/** Writes which checkpoint a folder holds, by which the same call knows that it is done. */
export async function writeFinished(
  folder: string,
  tinker_path: string,
  files: readonly DownloadedFile[],
): Promise<void> {
  await writeFile(join(folder, RECORD_NAME), `${JSON.stringify({ tinker_path, files })}\n`, { mode: 0o600 });
}

/**
 * Looks for a checkpoint that an earlier call has put in a directory: every file must be there with its length.
 *
 * @returns nothing for a directory that is empty or not there
 * @throws ValidationError for a place where something else is
 */
export async function readFinished(
  method: string,
  directory: string,
  tinker_path: string,
): Promise<DownloadedCheckpoint | undefined> {
  if (!(await checkPlace(method, directory))) return undefined;
  if ((await readdir(directory)).length === 0) {
    await checkReplaceable(method, directory);
    return undefined;
  }
  const files = await readFile(join(directory, RECORD_NAME), "utf8").then(
    (text) => recordedFiles(text, tinker_path),
    () => undefined,
  );
  if (files !== undefined && (await areThere(directory, files))) {
    return downloaded(directory, tinker_path, files);
  }
  throw new ValidationError(
    `${method}: directory must be empty, not there yet, or hold ${tinker_path} from an earlier call; choose another one, or remove what is there`,
    { path: ["directory"] },
  );
}

/** Describes a checkpoint on the disk. */
export function downloaded(
  directory: string,
  tinker_path: string,
  files: readonly DownloadedFile[],
): DownloadedCheckpoint {
  const names = new Set(files.map(({ name }) => name));
  const hasWeights = names.has("adapter_model.safetensors") || names.has("adapter_model.bin");
  return { tinker_path, directory, files, isPeftAdapter: hasWeights && names.has("adapter_config.json") };
}

async function areThere(directory: string, files: readonly DownloadedFile[]): Promise<boolean> {
  for (const { name, byteLength } of files) {
    const found = await lstat(join(directory, name)).catch(() => undefined);
    if (found?.isFile() !== true || found.size !== byteLength) return false;
  }
  return true;
}

function recordedFiles(text: string, tinker_path: string): DownloadedFile[] | undefined {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof record !== "object" || record === null) return undefined;
  if (!("tinker_path" in record) || record.tinker_path !== tinker_path) return undefined;
  if (!("files" in record) || !Array.isArray(record.files)) return undefined;
  const files: readonly unknown[] = record.files;
  const valid = files.filter(isFile);
  return valid.length === files.length && valid.length > 0 ? valid : undefined;
}

function isFile(value: unknown): value is DownloadedFile {
  if (typeof value !== "object" || value === null || !("name" in value) || !("byteLength" in value))
    return false;
  return typeof value.name === "string" && typeof value.byteLength === "number";
}
