import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import type { StoredTensor } from "./model-tensors.js";
import type { ModelWeights } from "./model-weights.js";

/**
 * Writes weights as float32 under another name and renames, so that the file is there as a whole or not at all, also after a loss of
 * power.
 *
 * @param places - of the tensors that are written, in the order of their offsets
 * @param byteLength - of the file
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
      for (const [name, { place }] of places) {
        end = place.offset;
        for (const piece of weights.pieces(name)) {
          writeAt(descriptor, new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength), end);
          end += piece.byteLength;
        }
      }
      if (end !== byteLength) throw new Error(`wrote ${end} bytes of ${byteLength}`);
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

function writeAt(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  }
}
