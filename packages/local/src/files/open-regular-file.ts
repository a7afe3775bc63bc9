import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { ValidationError } from "@tinkex/base";
import { type FileIdentity, identityOf } from "./file-identity.js";

/** Waits for no writer of a pipe: there may be one under any name. Windows has no such flag, and no such pipes. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** An open file, and what it was when it was opened. */
export interface OpenedFile {
  readonly descriptor: number;
  readonly size: number;
  readonly identity: FileIdentity;
}

/**
 * Opens a file of a model's directory, through links too, as download tools lay them out.
 *
 * @throws ValidationError when it is missing, cannot be read, or is a folder, a pipe or a device, which have no end
 */
export function openRegularFile(path: string): OpenedFile {
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
  if (fstatSync(descriptor).isFile()) {
    const identity = identityOf(descriptor);
    return { descriptor, size: identity.size, identity };
  }
  closeSync(descriptor);
  throw new ValidationError(`${path} must be a regular file, got something else: put the file itself there`);
}
