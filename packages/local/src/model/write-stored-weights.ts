import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import type { TensorPlace } from "../onnx/onnx-graph.js";
import { quantizeRows } from "../quantization/quantize-rows.js";
import { WholeRows } from "../quantization/whole-rows.js";
import { digestTensors } from "./digest-tensors.js";
import type { StoredQuantizedTensor } from "./model-tensors.js";
import type { ModelWeights } from "./model-weights.js";
import type { StoredLayout } from "./stored-layout.js";

/** Length of the digest that ends the file, after all tensors. */
export const DIGEST_BYTES = 32;

/**
 * Writes weights under another name and renames, so that the file is there as a whole or not at all, also after a loss of power.
 * Behind them comes the digest of the model's matrices as float32.
 *
 * @param tensors - names of the model's matrices
 * @throws Error when it cannot be written, or when the model's files were written to meanwhile; ValidationError for numbers that cannot
 * be quantized
 */
export function writeStoredWeights(
  weights: ModelWeights,
  tensors: readonly string[],
  layout: StoredLayout,
  path: string,
): void {
  const unfinished = `${path}.${randomUUID()}.part`;
  try {
    const descriptor = openSync(unfinished, "wx", 0o600);
    try {
      const before = JSON.stringify(weights.currentFiles());
      const writers = tensorWriters(descriptor, layout);
      const digest = digestTensors(weights, tensors, (numbers, name) => {
        for (const writer of writers.get(name) ?? []) writer.write(numbers);
      });
      for (const writer of [...writers.values()].flat()) writer.end();
      writeAt(descriptor, Buffer.from(digest, "hex"), layout.byteLength);
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

/** Takes a tensor piece by piece and puts it into the file in one of its forms. */
interface TensorWriter {
  write(numbers: Float32Array): void;
  /** @throws Error when the tensor was not there as a whole */
  end(): void;
}

/** Writers by the name of the tensor that they take: an embedding that is the unembedding too has two. */
function tensorWriters(descriptor: number, layout: StoredLayout): Map<string, TensorWriter[]> {
  const writers = new Map<string, TensorWriter[]>();
  const add = (tensor: string, writer: TensorWriter) =>
    writers.set(tensor, [...(writers.get(tensor) ?? []), writer]);
  for (const [name, { place }] of layout.float32) {
    const region = new Region(descriptor, place);
    add(name, { write: (numbers) => region.write(numbers), end: () => region.end() });
  }
  for (const stored of layout.quantized.values()) add(stored.tensor, quantizing(descriptor, stored));
  return writers;
}

function quantizing(descriptor: number, stored: StoredQuantizedTensor): TensorWriter {
  const { bits, tensor } = stored;
  const [, columns] = stored.shape;
  const rows = new WholeRows(columns);
  const packed = new Region(descriptor, stored.packed);
  const scales = new Region(descriptor, stored.scales);
  return {
    write(numbers) {
      const quantized = quantizeRows(rows.add(numbers), columns, bits, tensor);
      packed.write(quantized.packed);
      scales.write(quantized.scales);
    },
    end() {
      packed.end();
      scales.end();
    },
  };
}

/** A part of a file that is written from its start to its end. */
class Region {
  readonly #descriptor: number;
  readonly #place: TensorPlace;
  #written = 0;

  constructor(descriptor: number, place: TensorPlace) {
    this.#descriptor = descriptor;
    this.#place = place;
  }

  write({ buffer, byteOffset, byteLength }: Uint8Array | Float32Array): void {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    writeAt(this.#descriptor, bytes, this.#place.offset + this.#written);
    this.#written += byteLength;
  }

  end(): void {
    const { byteLength } = this.#place;
    if (this.#written !== byteLength) throw new Error(`wrote ${this.#written} bytes of ${byteLength}`);
  }
}

function writeAt(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  }
}
