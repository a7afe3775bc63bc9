import { readFile } from "node:fs/promises";
import { ValidationError } from "@tinkex/base";

/**
 * The text of a file, or undefined when there is none of that name.
 * @throws ValidationError when it is there and cannot be read.
 */
export async function readFileIfThere(path: string): Promise<string | undefined> {
  try {
    // Decoded in one piece: in chunks, as readFile does it by itself, takes longer and leaves a string that is put together on first use.
    return (await readFile(path)).toString("utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR")) {
      return undefined;
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ValidationError(`cannot read ${path}: ${reason}`, { cause });
  }
}
