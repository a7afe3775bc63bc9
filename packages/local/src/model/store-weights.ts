import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { TinkexError } from "@tinkex/base";
import type { ModelConfig } from "./model-config.js";
import type { GraphWeights, StoredTensor } from "./model-tensors.js";
import type { ModelWeights } from "./model-weights.js";
import { recordModel, removeStaleWeights } from "./stale-weights.js";
import { weightShapes } from "./weight-shapes.js";
import { DIGEST_BYTES, readStoredDigest, writeStoredWeights } from "./write-stored-weights.js";

/** Tensors begin at multiples of this, so that each can be mapped by itself on every system. */
const PAGE_BYTES = 65_536;

/** Changes with the layout of the file, so that one of another version is not taken for it. */
const LAYOUT = "3";

/** Weights in a file, and the digest of their numbers. */
export interface StoredWeights extends GraphWeights {
  readonly digest: string;
}

/**
 * Writes the matrices of a model as float32 into one file, from which every graph of it maps them: they are in memory once,
 * and the system may drop what is not in use. A file that is there from before, of the same files of the model, is used as
 * it is; those that it replaces are removed. One that is removed meanwhile is written again for the next graph.
 *
 * @param weights - open for as long as graphs are made
 * @param directory - of the model
 * @param folder - gets the file, made where it is missing
 * @throws TinkexError `server_error` when the file cannot be written
 */
export function storeWeights(
  weights: ModelWeights,
  config: ModelConfig,
  directory: string,
  folder: string,
): StoredWeights {
  const model = digest(realpathSync(directory));
  const file = `${model}-${digest([LAYOUT, weights.files])}.f32`;
  const { places, byteLength } = layOut(config, folder, file);
  const path = join(folder, file);
  const keep = <T>(afterwards: () => T): T => {
    try {
      makeFolder(folder);
      if (sizeOf(path) !== byteLength + DIGEST_BYTES) writeStoredWeights(weights, places, path, byteLength);
      return afterwards();
    } catch (cause) {
      if (cause instanceof TinkexError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new TinkexError(
        `cannot keep the weights of the model in ${directory} as float32 in ${folder}: ${reason}; ` +
          `it takes ${byteLength} bytes there`,
        { code: "server_error", cause },
      );
    }
  };
  const storedDigest = keep(() => {
    recordModel(folder, model, realpathSync(directory));
    removeStaleWeights(folder, model, file);
    return readStoredDigest(path, byteLength);
  });
  return {
    digest: storedDigest,
    get: (name) => weights.get(name),
    stored(name) {
      const found = places.get(name);
      if (found !== undefined) keep(() => {});
      return found;
    },
  };
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}

/** Norms and biases are few bytes; they go into each graph. */
function layOut(config: ModelConfig, folder: string, file: string) {
  const places = new Map<string, StoredTensor>();
  let end = 0;
  for (const [name, shape] of weightShapes(config)) {
    if (shape.length < 2) continue;
    const byteLength = shape.reduce((product, length) => product * length, Float32Array.BYTES_PER_ELEMENT);
    const offset = Math.ceil(end / PAGE_BYTES) * PAGE_BYTES;
    places.set(name, { shape, place: { folder, file, offset, byteLength } });
    end = offset + byteLength;
  }
  return { places, byteLength: end };
}

function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!lstatSync(folder).isDirectory()) throw new Error("it must be a folder, got a link");
}

function sizeOf(path: string): number | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? found.size : undefined;
}
