import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { z } from "zod";
import type { FileIdentity } from "../files/file-identity.js";
import { mapOf } from "../json/bounded-collections.js";
import { readJsonFile } from "../json/read-json-file.js";
import { shortened } from "../json/shortened.js";
import { SafetensorsFile } from "../safetensors/safetensors-file.js";
import type { ModelConfig } from "./model-config.js";
import { type ModelTensors, modelTensors } from "./model-tensors.js";

/** A file of weights, and the tensors that are read from it. */
export interface WeightsFile extends FileIdentity {
  readonly name: string;
  readonly tensors: readonly string[];
}

/** The frozen weights of a base model in files, read when asked for and widened to float32. */
export interface ModelWeights extends ModelTensors {
  /** Files that are open, as they were when they were opened. */
  readonly files: readonly WeightsFile[];
  /** Files that are open, as they are by now: a file that replaced one of them is not among them. */
  currentFiles(): readonly WeightsFile[];
  /** Closes the files; tensors already read stay valid. */
  close(): void;
}

/**
 * Opens `model.safetensors`, or the files that `model.safetensors.index.json` names, and checks that every tensor the
 * configuration asks for is there in its shape and in a dtype that is read.
 *
 * @throws ValidationError naming the file and the tensor
 */
export function openModelWeights(directory: string, config: ModelConfig): ModelWeights {
  const files = openFiles(directory);
  let tensors: ModelTensors;
  try {
    tensors = modelTensors(files, config, directory);
  } catch (error) {
    closeAll(files);
    throw error;
  }
  return {
    ...tensors,
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
