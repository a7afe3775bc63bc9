import type { Stats } from "node:fs";
import { lstat, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { describeValue, ValidationError } from "@tinkex/base";

/** The kind of thing that stands at a path. */
type Found = "nothing" | "folder" | "link to a folder" | "no folder" | "link to nothing";

/**
 * Checks that a folder can be made or filled at a path: it is there, or nothing is and one can be made in those above it.
 *
 * @returns true when a folder is there
 * @throws ValidationError that names what is in the way
 */
export async function checkPlace(method: string, directory: string): Promise<boolean> {
  const found = await lookAt(directory);
  if (found === "folder" || found === "link to a folder") return true;
  if (found !== "nothing") throw notUsable(method, directory, found);
  for (let path = dirname(directory); ; path = dirname(path)) {
    const above = await lookAt(path);
    if (above === "folder" || above === "link to a folder") return false;
    if (above !== "nothing") throw notUsable(method, path, above);
    // The root is there on every system but one that has lost a drive: making the folder says so.
    if (path === dirname(path)) return false;
  }
}

/**
 * Checks that an empty folder may give its place to one that is whole, which takes its name.
 *
 * @throws ValidationError for a link, and for the folder that the program works in, which would be left in one that is gone
 */
export async function checkReplaceable(method: string, directory: string): Promise<void> {
  if ((await lookAt(directory)) === "link to a folder") {
    throw fail(
      method,
      `be a folder, got a link to one: ${describeValue(directory)}`,
      "give the path of the folder",
    );
  }
  if ((await realpath(directory)) !== (await workingFolder())) return;
  throw fail(
    method,
    "not be the folder that the program works in, which would be replaced",
    `give one below it, such as ${describeValue("checkpoint")}`,
  );
}

/** Finds the folder that the program works in; `undefined` where it is gone. */
async function workingFolder(): Promise<string | undefined> {
  try {
    return await realpath(process.cwd());
  } catch {
    return undefined;
  }
}

async function lookAt(path: string): Promise<Found> {
  const own = await lstat(path).catch(ifMissing);
  if (own === undefined) return "nothing";
  if (own.isDirectory()) return "folder";
  if (!own.isSymbolicLink()) return "no folder";
  const target = await stat(path).catch(ifMissing);
  if (target === undefined) return "link to nothing";
  return target.isDirectory() ? "link to a folder" : "no folder";
}

function ifMissing(error: NodeJS.ErrnoException): Stats | undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "ELOOP") return undefined;
  throw error;
}

function notUsable(method: string, path: string, found: Found): ValidationError {
  const what = found === "no folder" ? "which is a file" : "which is a link to nothing";
  const got = `be a folder or not there yet, got a path with ${describeValue(path)}, ${what}`;
  return fail(method, got, "choose another one, or remove what is there");
}

function fail(method: string, must: string, remedy: string): ValidationError {
  return new ValidationError(`${method}: directory must ${must}; ${remedy}`, { path: ["directory"] });
}
