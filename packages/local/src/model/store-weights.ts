import { createHash } from "node:crypto";
import { lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { TinkexError } from "@tinkex/base";
import { makeFoldersSync } from "@tinkex/base/node";
import { PRIVATE_DIRECTORY_MODE } from "../files/make-private-directory.js";
import type { WeightFormat } from "../quantization/weight-format.js";
import type { ModelConfig } from "./model-config.js";
import type { GraphWeights } from "./model-tensors.js";
import type { ModelWeights } from "./model-weights.js";
import { recordModel, removeStaleWeights } from "./stale-weights.js";
import { storedLayout } from "./stored-layout.js";
import { matrixNames } from "./weight-shapes.js";
import { DIGEST_BYTES, readStoredDigest, writeStoredWeights } from "./write-stored-weights.js";

/** Changes with the layout of the file, so that one of another version is not taken for it. */
const LAYOUT = "3";

/** Changes with the layout of quantized files, and with the way numbers are rounded. */
const QUANTIZED_LAYOUT = "1";

const EXTENSIONS: Readonly<Record<WeightFormat, string>> = { float32: "f32", int8: "int8", int4: "int4" };

/** Weights in a file, and the digest of their numbers. */
export interface StoredWeights extends GraphWeights {
  readonly digest: string;
}

/**
 * Writes the matrices of a model into one file, from which every graph of it maps them: they are in memory once, and the system may
 * drop what is not in use. A file that is there from before, of the same files of the model, is used as it is; those that it
 * replaces are removed, but not those in another form. One that is removed meanwhile is written again for the next graph.
 *
 * @param weights - open for as long as graphs are made
 * @param directory - of the model
 * @param folder - gets the file, made where it is missing
 * @param format - of the linear layers; all other matrices are float32
 * @throws TinkexError `server_error` when the file cannot be written; ValidationError for numbers that cannot be quantized
 */
export function storeWeights(
  weights: ModelWeights,
  config: ModelConfig,
  directory: string,
  folder: string,
  format: WeightFormat = "float32",
): StoredWeights {
  const isFloat32 = format === "float32";
  const model = digest(isFloat32 ? realpathSync(directory) : [realpathSync(directory), format]);
  const layoutVersion = isFloat32 ? LAYOUT : QUANTIZED_LAYOUT;
  const file = `${model}-${digest([layoutVersion, weights.files])}.${EXTENSIONS[format]}`;
  const layout = storedLayout(config, format, folder, file);
  const { byteLength } = layout;
  const path = join(folder, file);
  const keep = <T>(afterwards: () => T): T => {
    try {
      makeFolder(folder);
      if (sizeOf(path) !== byteLength + DIGEST_BYTES) {
        writeStoredWeights(weights, matrixNames(config), layout, path);
      }
      return afterwards();
    } catch (cause) {
      if (cause instanceof TinkexError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new TinkexError(
        `cannot keep the weights of the model in ${directory} as ${format} in ${folder}: ${reason}; ` +
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
  const whereThere = <T>(found: T | undefined): T | undefined => {
    if (found !== undefined) keep(() => {});
    return found;
  };
  return {
    digest: storedDigest,
    get: (name) => weights.get(name),
    stored: (name) => whereThere(layout.float32.get(name)),
    quantized: (name) => whereThere(layout.quantized.get(name)),
  };
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}

function makeFolder(folder: string): void {
  makeFoldersSync(folder, PRIVATE_DIRECTORY_MODE);
  if (!lstatSync(folder).isDirectory()) throw new Error("it must be a folder, got a link");
}

function sizeOf(path: string): number | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? found.size : undefined;
}
