import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { z } from "zod";
import type { FileIdentity } from "../files/file-identity.js";
import { mapOf } from "../json/bounded-collections.js";
import { readJsonFile } from "../json/read-json-file.js";
import { shortened } from "../json/shortened.js";
import type { TensorPlace } from "../onnx/onnx-graph.js";
import { type FloatTensor, SafetensorsFile } from "../safetensors/safetensors-file.js";
import type { ModelConfig } from "./model-config.js";
import { weightShapes } from "./weight-shapes.js";

/** Weights as a graph takes them: numbers in memory, or their place in a file where the runtime reads them itself. */
export interface GraphWeights extends Pick<ModelWeights, "get"> {
  /** Tells where a tensor lies as float32; nothing for one that is to be had by `get`. */
  stored?(name: string): StoredTensor | undefined;
}

/** A float32 tensor in a file that may be mapped into memory. */
export interface StoredTensor {
  readonly shape: readonly number[];
  readonly place: TensorPlace;
}

/** A file of weights, and the tensors that are read from it. */
export interface WeightsFile extends FileIdentity {
  readonly name: string;
  readonly tensors: readonly string[];
}

/** The frozen weights of a base model, read when asked for and widened to float32. */
export interface ModelWeights {
  /**
   * @param name - e.g. `model.layers.0.self_attn.q_proj.weight`
   * @throws ValidationError when the model has no such tensor
   */
  get(name: string): FloatTensor;
  /** Reads a tensor piece by piece in order, and keeps none of them. @throws as `get` does */
  pieces(name: string): Iterable<Float32Array>;
  /** Files that are open, as they were when they were opened. */
  readonly files: readonly WeightsFile[];
  /** Files that are open, as they are by now: a file that replaced one of them is not among them. */
  currentFiles(): readonly WeightsFile[];
  /** Closes the files; tensors already read stay valid. */
  close(): void;
}

/**
 * Opens `model.safetensors`, or the files that `model.safetensors.index.json` names, and checks that every tensor the
 * configuration asks for is there in its shape and in a dtype that is read. A tensor is read once and shared while anyone holds it.
 *
 * @throws ValidationError naming the file and the tensor
 */
export function openModelWeights(directory: string, config: ModelConfig): ModelWeights {
  const files = openFiles(directory);
  try {
    checkTensors(files, weightShapes(config), directory);
  } catch (error) {
    closeAll(files);
    throw error;
  }
  const read = new Map<string, WeakRef<Float32Array>>();
  const find = (name: string) => {
    const file = files.get(name);
    const shape = file?.shapeOf(name);
    if (file === undefined || shape === undefined) {
      throw new ValidationError(`the model in ${directory} has no tensor "${name}"`);
    }
    return { file, shape };
  };
  return {
    get(name) {
      const { file, shape } = find(name);
      const known = read.get(name)?.deref();
      if (known !== undefined) return { data: known, shape };
      const { data } = file.read(name);
      read.set(name, new WeakRef(data));
      return { data, shape };
    },
    pieces: (name) => find(name).file.pieces(name),
    files: describeFiles(files, ({ identity }) => identity),
    currentFiles: () => describeFiles(files, (file) => file.currentIdentity()),
    close: () => closeAll(files),
  };
}

/** Maps each tensor to the file that holds it. */
function openFiles(directory: string): Map<string, SafetensorsFile> {
  const index = join(directory, "model.safetensors.index.json");
  if (existsSync(index)) return openShards(directory, index);
  const single = join(directory, "model.safetensors");
  if (!existsSync(single)) {
    throw new ValidationError(
      `${directory} has neither model.safetensors nor model.safetensors.index.json; ` +
        "save the model's weights as safetensors (older .bin weights are not read)",
    );
  }
  const file = SafetensorsFile.open(single);
  return new Map(file.names.map((name) => [name, file]));
}

const indexSchema = z.object({ weight_map: mapOf(z.string()) });

/** Largest index of shards that is read; a thousand tensors take about a hundred kilobytes. */
const MAX_INDEX_BYTES = 16 * 2 ** 20;

/** Most files of weights: each is kept open. */
const MAX_SHARDS = 1000;

function openShards(directory: string, index: string): Map<string, SafetensorsFile> {
  const { weight_map } = readJsonFile(index, indexSchema, MAX_INDEX_BYTES);
  const shards = new Map<string, SafetensorsFile>();
  try {
    const files = new Map<string, SafetensorsFile>();
    for (const [name, fileName] of Object.entries(weight_map)) {
      if (fileName.includes("/") || fileName.includes("\\")) {
        throw new ValidationError(`${index}: "${shortened(fileName)}" must be a file of the same directory`);
      }
      if (shards.size === MAX_SHARDS && !shards.has(fileName)) {
        throw new ValidationError(
          `${index} names more than ${MAX_SHARDS} files; save the model in larger ones`,
        );
      }
      const shard = shards.get(fileName) ?? SafetensorsFile.open(join(directory, fileName));
      shards.set(fileName, shard);
      files.set(name, shard);
    }
    return files;
  } catch (error) {
    closeAll(shards);
    throw error;
  }
}

function checkTensors(
  files: ReadonlyMap<string, SafetensorsFile>,
  shapes: ReadonlyMap<string, readonly number[]>,
  directory: string,
): void {
  for (const [name, expected] of shapes) {
    const file = files.get(name);
    const found = file?.shapeOf(name);
    if (file === undefined || found === undefined) {
      throw new ValidationError(
        `the model in ${directory} lacks the tensor "${name}", which its config.json implies; ` +
          "check that the weights are complete and belong to this config.json",
      );
    }
    if (found.length !== expected.length || found.some((length, axis) => length !== expected[axis])) {
      throw new ValidationError(
        `tensor "${name}" of the model in ${directory} has shape [${found.join(", ")}]; ` +
          `config.json implies [${expected.join(", ")}]`,
      );
    }
    file.requireReadable(name);
  }
}

function describeFiles(
  files: ReadonlyMap<string, SafetensorsFile>,
  identify: (file: SafetensorsFile) => FileIdentity,
): WeightsFile[] {
  const tensors = new Map<SafetensorsFile, string[]>();
  for (const [name, file] of files) {
    const names = tensors.get(file);
    if (names === undefined) tensors.set(file, [name]);
    else names.push(name);
  }
  return [...tensors].map(([file, names]) => ({
    name: basename(file.path),
    tensors: names,
    ...identify(file),
  }));
}

function closeAll(files: ReadonlyMap<string, SafetensorsFile>): void {
  for (const file of new Set(files.values())) file.close();
}
