import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { TinkexError } from "@tinkex/base";
import type { ModelConfig } from "./model-config.js";
import type { GraphWeights, ModelWeights, StoredTensor } from "./model-weights.js";
import { weightShapes } from "./weight-shapes.js";

/** Tensors begin at multiples of this, so that each can be mapped by itself on every system. */
const PAGE_BYTES = 65_536;

/** Changes with the layout of the file, so that one of another version is not taken for it. */
const LAYOUT = "1";

/**
 * Writes the matrices of a model as float32 into one file, from which every graph of it maps them: they are in memory once,
 * and the system may drop what is not in use. A file that is there from before, of the same files of the model, is used as
 * it is; those that it replaces are removed.
 *
 * @param directory - of the model
 * @param folder - gets the file, made where it is missing
 * @throws TinkexError `server_error` when the file cannot be written
 */
export function storeWeights(
  weights: ModelWeights,
  config: ModelConfig,
  directory: string,
  folder: string,
): GraphWeights {
  const { model, version } = namesOf(directory);
  const file = `${model}-${version}.f32`;
  const { places, byteLength } = layOut(config, folder, file);
  try {
    makeFolder(folder);
    if (sizeOf(join(folder, file)) !== byteLength) writeFile(weights, places, join(folder, file), byteLength);
    removeOthers(folder, model, file);
  } catch (cause) {
    if (cause instanceof TinkexError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TinkexError(
      `cannot keep the weights of the model in ${directory} as float32 in ${folder}: ${reason}; ` +
        `it takes ${byteLength} bytes there`,
      { code: "server_error", cause },
    );
  }
  return { get: (name) => weights.get(name), stored: (name) => places.get(name) };
}

/** Names a model by its directory, and its version by what its files of weights are. */
function namesOf(directory: string): { readonly model: string; readonly version: string } {
  const files = readdirSync(directory)
    .filter((name) => name === "config.json" || name.endsWith(".safetensors") || name.endsWith(".index.json"))
    .sort()
    .map((name) => {
      const { size, mtimeMs, ino } = statSync(join(directory, name));
      return [name, size, mtimeMs, ino];
    });
  const digest = (value: unknown) =>
    createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
  return { model: digest(realpathSync(directory)), version: digest([LAYOUT, files]) };
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

/** Writes under another name and renames, so that the file is there as a whole or not at all, also after a loss of power. */
function writeFile(
  weights: ModelWeights,
  places: ReadonlyMap<string, StoredTensor>,
  path: string,
  byteLength: number,
): void {
  const unfinished = `${path}.${randomUUID()}.part`;
  const descriptor = openSync(unfinished, "wx", 0o600);
  try {
    let end = 0;
    for (const [name, { place }] of places) {
      end = place.offset;
      for (const piece of weights.pieces(name)) {
        writeAt(descriptor, new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength), end);
        end += piece.byteLength;
      }
    }
    if (end !== byteLength) throw new Error(`wrote ${end} bytes of ${byteLength}`);
    fsyncSync(descriptor);
  } catch (error) {
    closeSync(descriptor);
    rmSync(unfinished, { force: true });
    throw error;
  }
  closeSync(descriptor);
  renameSync(unfinished, path);
}

function writeAt(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  }
}

/** Removes what was written from earlier files of this model, and what a process that was killed has left unfinished. */
function removeOthers(folder: string, model: string, file: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${model}-`) || name === file) continue;
    if (name.endsWith(".f32") || name.endsWith(".part")) rmSync(join(folder, name), { force: true });
  }
}
