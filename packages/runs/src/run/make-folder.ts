import { errorMessage, ValidationError } from "@tinkex/base";
import { makeFolders } from "@tinkex/base/node";
import type { LockedPlace } from "./lock-file.js";

/** Codes by which a system says that a path cannot be written, as a full disk does not. */
const REFUSALS: readonly unknown[] = [
  "EACCES",
  "EEXIST",
  "EISDIR",
  "ENAMETOOLONG",
  "ENOENT",
  "ENOTDIR",
  "EPERM",
  "EROFS",
];

/** Makes a folder, and those above it. @throws ValidationError where a file is in its place, or it may not be made */
export async function makeFolder(path: string, place: LockedPlace): Promise<void> {
  await makeFolders(path).catch((error: unknown) => {
    throw asRefusal(error, place);
  });
}

/** Names the argument in the error of a path that cannot be written; every other error stays as it is. */
export function asRefusal(error: unknown, { name, remedy }: LockedPlace): unknown {
  if (!(error instanceof Error && "code" in error && REFUSALS.includes(error.code))) return error;
  return new ValidationError(`${name} cannot be written (${errorMessage(error)}); ${remedy}`, {
    cause: error,
  });
}
