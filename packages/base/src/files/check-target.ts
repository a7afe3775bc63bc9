import { lstat, realpath } from "node:fs/promises";
import { sep } from "node:path";
import { describeValue } from "../arguments/describe-value.js";
import { ValidationError } from "../errors/api-errors.js";

/**
 * Refuses a path that no file can be put at, before anything is made for it.
 *
 * @param place - named in errors, e.g. `downloadFile: target`
 * @throws ValidationError for an empty path, one that ends in a separator, a folder, what is neither a file nor a link, and a name that
 *   is too long
 */
export async function checkTarget(target: string, place: string): Promise<void> {
  if (target === "") throw refusal(place, 'got ""');
  if (target.endsWith("/") || target.endsWith(sep)) throw refusal(place, `got the folder ${target}`);
  const found = await lstat(target).catch((error: unknown) => {
    // All else, such as a folder that is not there, shows when the file is made.
    if (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG") {
      throw new ValidationError(
        `${place} must have a shorter name (ENAMETOOLONG), got ${describeValue(target)}`,
        {
          path: [argumentOf(place)],
          cause: error,
        },
      );
    }
    return undefined;
  });
  if (found === undefined || found.isFile() || found.isSymbolicLink()) return;
  throw refusal(place, found.isDirectory() ? `got the folder ${target}` : `got the device ${target}`);
}

/** Path that a link leads to, in the end; the path itself where it is none, or leads nowhere. */
export async function withoutLinks(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function refusal(place: string, fault: string): ValidationError {
  return new ValidationError(`${place} must be the path of a file, ${fault}; add the name of a file`, {
    path: [argumentOf(place)],
  });
}

function argumentOf(place: string): string {
  return place.split(": ")[1] ?? place;
}
