import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { ValidationError } from "@tinkex/base";

/** Waits for no writer of a pipe: there may be one under any name. Windows has no such flag, and no such pipes. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file of a model's directory, through links too, as download tools lay them out.
 *
 * @throws ValidationError when it is missing, cannot be read, or is a folder, a pipe or a device, which have no end
 */
export function openRegularFile(path: string): { readonly descriptor: number; readonly size: number } {
  let descriptor: number;
  try {
    descriptor = openSync(path, READ_FLAGS);
  } catch (cause) {
    throw new ValidationError(
      `cannot open ${path}: ${cause instanceof Error ? cause.message : String(cause)}; ` +
        "download or save it again where it is missing",
      { cause },
    );
  }
  const found = fstatSync(descriptor);
  if (found.isFile()) return { descriptor, size: found.size };
  closeSync(descriptor);
  throw new ValidationError(`${path} must be a regular file, got something else: put the file itself there`);
}
