import { closeSync, readSync } from "node:fs";
import { TinkexError, ValidationError } from "@tinkex/base";
import { type FileIdentity, identityOf } from "../files/file-identity.js";
import { type OpenedFile, openRegularFile } from "../files/open-regular-file.js";
import { SafetensorsReader } from "./safetensors-reader.js";

/**
 * An open safetensors file. Only its header is read at first; `read` fetches one tensor. Reads block: they happen while
 * a model or an adapter is loaded, in the engine's own thread.
 */
export class SafetensorsFile extends SafetensorsReader {
  /** The file as it was when it was opened. */
  readonly identity: FileIdentity;
  readonly #descriptor: number;

  private constructor(path: string, { descriptor, size, identity }: OpenedFile) {
    super({
      path,
      size,
      read: (offset, length) => readUnchanged(descriptor, offset, length, path, identity),
    });
    this.identity = identity;
    this.#descriptor = descriptor;
  }

  /** @throws ValidationError when the file is missing or its header is unsound */
  static open(path: string): SafetensorsFile {
    const opened = openRegularFile(path);
    try {
      return new SafetensorsFile(path, opened);
    } catch (error) {
      closeSync(opened.descriptor);
      throw error;
    }
  }

  /** Tells what the open file is by now. */
  currentIdentity(): FileIdentity {
    return identityOf(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/**
 * Reads bytes that belong to the header. A file that was replaced under its name is read on; one that was written to is not.
 *
 * @throws TinkexError `server_error` when it was written to after it was opened
 */
function readUnchanged(
  descriptor: number,
  offset: number,
  length: number,
  path: string,
  opened: FileIdentity,
): Uint8Array {
  const bytes = readRange(descriptor, offset, length, path);
  const { size, mtimeNs } = identityOf(descriptor);
  if (size === opened.size && mtimeNs === opened.mtimeNs) return bytes;
  throw new TinkexError(
    `${path} was written to while it was in use; start the server again, and replace a model's file by a rename`,
    { code: "server_error" },
  );
}

/** Fresh bytes (offset 0 of their own buffer), so that typed arrays over them are aligned. */
function readRange(descriptor: number, offset: number, length: number, path: string): Uint8Array {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const read = readSync(descriptor, bytes, done, length - done, offset + done);
    if (read === 0)
      throw new ValidationError(`${path} was cut short while it was being read; write it again`);
    done += read;
  }
  return bytes;
}
