import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { z } from "zod";

/** Name of the file that tells the directory of a model, by the model's digest. */
const RECORD_NAME = /^[0-9a-f]{32}\.json$/;

/** Ends of the names of files of weights, and of those that were not finished. */
const WEIGHTS_ENDING = /\.(?:f32|int8|int4|part)$/;

/** Longest record that is read; a path takes a few kilobytes at most. */
const MAX_RECORD_BYTES = 65_536;

const recordSchema = z.object({ directory: z.string().min(1) });

/** Writes beside a model's file of weights where the model lies, so that the file goes once the model has. */
export function recordModel(folder: string, model: string, directory: string): void {
  const path = join(folder, `${model}.json`);
  if (readRecord(path) === directory) return;
  rmSync(path, { force: true });
  writeFileSync(path, `${JSON.stringify({ directory })}\n`, { flag: "wx", mode: 0o600 });
}

/**
 * Removes files that were written from earlier files of this model, those that a process which was killed has left unfinished, and
 * those of models whose directories are gone.
 *
 * @param file - that stays
 */
export function removeStaleWeights(folder: string, model: string, file: string): void {
  const names = readdirSync(folder);
  const gone = new Set(names.filter((name) => isOfGoneModel(folder, name)).map(modelOf));
  for (const name of names) {
    const isStale = gone.has(modelOf(name)) || (modelOf(name) === model && name !== file);
    const isWeights = name[32] === "-" && WEIGHTS_ENDING.test(name);
    if (isStale && isWeights) rmSync(join(folder, name), { force: true });
  }
  // Last, so that an end in between leaves the rest to the next start.
  for (const digest of gone) rmSync(join(folder, `${digest}.json`), { force: true });
}

/** The digest that names of a model's files begin with. */
function modelOf(name: string): string {
  return name.slice(0, 32);
}

function isOfGoneModel(folder: string, name: string): boolean {
  if (!RECORD_NAME.test(name)) return false;
  const directory = readRecord(join(folder, name));
  if (directory === undefined || !isAbsolute(directory)) return false;
  try {
    return lstatSync(directory, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** The directory that a record names; undefined where there is no such record. */
function readRecord(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > MAX_RECORD_BYTES) return undefined;
  try {
    return recordSchema.safeParse(JSON.parse(readFileSync(path, "utf8"))).data?.directory;
  } catch {
    return undefined;
  }
}
