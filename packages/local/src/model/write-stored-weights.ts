import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { digestTensors } from "./digest-tensors.js";
import type { StoredTensor } from "./model-tensors.js";
import type { ModelWeights } from "./model-weights.js";

/** Length of the digest that ends the file, after all tensors. */
export const DIGEST_BYTES = 32;

/**
 * Writes weights as float32 under another name and renames, so that the file is there as a whole or not at all, also after a loss of
 * power.
 *
 * @param places - of the tensors that are written, in the order of their offsets
 * @param byteLength - of the tensors in the file, behind which comes the digest of their numbers
 * @throws Error when it cannot be written, or when the model's files were written to meanwhile
 */
export function writeStoredWeights(
  weights: ModelWeights,
  places: ReadonlyMap<string, StoredTensor>,
  path: string,
  byteLength: number,
): void {
  const unfinished = `${path}.${randomUUID()}.part`;
  try {
    const descriptor = openSync(unfinished, "wx", 0o600);
    try {
      const before = JSON.stringify(weights.currentFiles());
      let end = 0;
      let current: string | undefined;
      const digest = digestTensors(weights, places.keys(), (bytes, name) => {
        if (name !== current) end = places.get(name)?.place.offset ?? end;
        current = name;
        writeAt(descriptor, bytes, end);
        end += bytes.byteLength;
      });
      if (end !== byteLength) throw new Error(`wrote ${end} bytes of ${byteLength}`);
      writeAt(descriptor, Buffer.from(digest, "hex"), end);
      if (JSON.stringify(weights.currentFiles()) !== before)
        throw new Error("the files of the model were changed while they were read, try again");
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Reads the digest at the end of a file, without its tensors. @param byteLength - of the tensors */
export function readStoredDigest(path: string, byteLength: number): string {
  const descriptor = openSync(path, "r");
  try {
    const digest = Buffer.alloc(DIGEST_BYTES);
    const read = readSync(descriptor, digest, 0, DIGEST_BYTES, byteLength);
    if (read !== DIGEST_BYTES) throw new Error(`${path} ends before its digest`);
    return digest.toString("hex");
  } finally {
    closeSync(descriptor);
  }
}

function writeAt(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  }
}
