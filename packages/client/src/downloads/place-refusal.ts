import { describeValue, errorMessage, ValidationError } from "@tinkex/base";

const WRITABLE = "give a directory in a place that this program may write to";
const EXISTING = "give a directory in a place that is there";
const ROOM = "make room there and call again, which goes on with what has come";

/** Remedies by the code with which a file system refuses to write. An error with another code is not about the place. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: WRITABLE,
  EPERM: WRITABLE,
  EROFS: WRITABLE,
  ENOENT: EXISTING,
  ENOTDIR: EXISTING,
  ELOOP: EXISTING,
  ENAMETOOLONG: "give one with a shorter name",
  ENOSPC: ROOM,
  EDQUOT: ROOM,
};

/** Names the directory and the remedy in the error of a file system that does not take it; every other error stays as it is. */
export function placeRefusal(method: string, directory: string, error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const remedy = Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : undefined;
  if (remedy === undefined) return error;
  const what = `${describeValue(directory)} cannot be written (${errorMessage(error)})`;
  return new ValidationError(`${method}: directory ${what}; ${remedy}`, {
    path: ["directory"],
    cause: error,
  });
}
