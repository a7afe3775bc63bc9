import { readFile } from "node:fs/promises";
import { ValidationError } from "@tinkex/base";

/**
 * The text of a file, or undefined when there is none of that name.
 * @throws ValidationError when it is there and cannot be read.
 */
export async function readFileIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR")) {
      return undefined;
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ValidationError(`cannot read ${path}: ${reason}`, { cause });
  }
}
