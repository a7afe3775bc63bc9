import { lstatSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import type { AdapterShape } from "../engine/engine.js";
import { adaptableModules } from "../model/adaptable-modules.js";
import type { ModelConfig } from "../model/model-config.js";
import { encodeSafetensors } from "../safetensors/encode-safetensors.js";
import { SafetensorsFile } from "../safetensors/safetensors-file.js";
import { type AdapterPair, type AdapterParameters, adaptedModules } from "./adapter-parameters.js";
import type { AdapterTensors, OptimizerState } from "./adapter-tensors.js";
import { peftConfig, peftConfigFile, readPeftRank } from "./peft-config.js";
import { nameTensors, peftTensors } from "./peft-tensors.js";
import { writeNewDirectory } from "./write-new-directory.js";

const weightsFile = "adapter_model.safetensors";
const optimizerFile = "optimizer.safetensors";

/** An adapter and, when asked for, what its optimizer remembers. */
export interface StoredAdapter {
  readonly parameters: AdapterParameters;
  readonly optimizer?: OptimizerState;
}

/**
 * Writes an adapter in PEFT's layout into a new directory, and the optimizer's state beside it when there is one.
 *
 * @param baseModel - the name clients ask for, e.g. `tinkex/pocket-1`
 * @returns bytes written
 * @throws ValidationError when the directory is there already
 */
export async function writeAdapterDirectory(
  directory: string,
  { parameters, optimizer }: StoredAdapter,
  baseModel: string,
): Promise<number> {
  const { pairs, shape } = parameters;
  const name = (tensors: AdapterTensors, prefix?: string) => nameTensors(pairs, shape.rank, tensors, prefix);
  const files = new Map<string, Uint8Array>([
    [
      peftConfigFile,
      new TextEncoder().encode(`${JSON.stringify(peftConfig(parameters, baseModel), null, 2)}\n`),
    ],
    [weightsFile, encodeSafetensors(name(pairs), { format: "pt" })],
  ]);
  if (optimizer) {
    const step = { name: "step", data: Float32Array.of(optimizer.step), shape: [] };
    files.set(
      optimizerFile,
      encodeSafetensors([step, ...name(optimizer.m, "m."), ...name(optimizer.v, "v.")]),
    );
  }
  await writeNewDirectory(directory, files);
  return [...files.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/**
 * Reads an adapter directory and checks it against the model.
 *
 * @param options.includesOptimizer - also read the optimizer's state
 * @throws ValidationError naming the file and the tensor, or saying that the optimizer's state was not saved
 */
export async function readAdapterDirectory(
  directory: string,
  config: ModelConfig,
  options: { readonly includesOptimizer: boolean },
): Promise<StoredAdapter> {
  if (lookAt(directory) === undefined) {
    throw new ValidationError(
      `there is no adapter directory ${directory}: name one that an adapter was saved to and that was not removed`,
    );
  }
  for (const name of [peftConfigFile, weightsFile, optimizerFile]) requireRegular(join(directory, name));
  const rank = readPeftRank(directory);
  const parameters = readParameters(join(directory, weightsFile), config, rank);
  if (!options.includesOptimizer) return { parameters };
  return { parameters, optimizer: readOptimizer(join(directory, optimizerFile), parameters) };
}

function lookAt(path: string) {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** An adapter is read from its own directory, not through a link, and never from a pipe that nobody writes to. */
function requireRegular(path: string): void {
  const found = lookAt(path);
  if (found === undefined || found.isFile()) return;
  const what = found.isSymbolicLink() ? "a symbolic link" : "something else";
  throw new ValidationError(`${path} must be a regular file, got ${what}: put the file itself there`);
}

function readParameters(path: string, config: ModelConfig, rank: number): AdapterParameters {
  const file = SafetensorsFile.open(path);
  try {
    const shape = shapeFromTensors(file, config, rank);
    const pairs = adaptedModules(config, shape).map(({ module, inputSize, outputSize }) => {
      const pair = { module, dIn: inputSize, dOut: outputSize };
      return { ...pair, ...readFactors(file, pair, rank) };
    });
    return { shape, pairs };
  } finally {
    file.close();
  }
}

function readOptimizer(path: string, { pairs, shape }: AdapterParameters): OptimizerState {
  if (lookAt(path) === undefined) {
    throw new ValidationError(
      `${path} does not exist: this checkpoint was saved without optimizer state; load its weights alone`,
    );
  }
  const file = SafetensorsFile.open(path);
  try {
    const read = (prefix: string) => pairs.map((pair) => readFactors(file, pair, shape.rank, prefix));
    const optimizer = { step: readStep(file), m: read("m."), v: read("v.") };
    if (optimizer.v.some(({ a, b }) => hasNegative(a) || hasNegative(b))) {
      throw new ValidationError(
        `${path} has a negative number among the tensors "v.…", which are means of squares; load the weights alone`,
      );
    }
    return optimizer;
  } finally {
    file.close();
  }
}

/** Reads the number of steps taken, of which the optimizer makes its corrections: by another one the next step goes wrong. */
function readStep(file: SafetensorsFile): number {
  const { data } = file.read("step");
  const [step = Number.NaN] = data;
  if (data.length === 1 && Number.isSafeInteger(step) && step >= 0) return step;
  const found = data.length === 1 ? `${step}` : `${data.length} numbers`;
  throw new ValidationError(
    `tensor "step" in ${file.path} must be one whole number from 0, got ${found}; load the weights alone`,
  );
}

function hasNegative(values: Float32Array): boolean {
  return values.some((value) => value < 0);
}

/** Groups of modules that an adapter changes, told by the tensors it has. */
function shapeFromTensors(file: SafetensorsFile, config: ModelConfig, rank: number): AdapterShape {
  const unread = new Set(file.names);
  const groups = new Set<string>();
  for (const { module, group, inputSize, outputSize } of adaptableModules(config)) {
    const { a, b } = peftTensors({ module, dIn: inputSize, dOut: outputSize }, rank);
    const hasA = unread.delete(a.name);
    const hasB = unread.delete(b.name);
    if (hasA || hasB) groups.add(group);
  }
  const [unknown] = unread;
  if (unknown !== undefined) {
    throw new ValidationError(
      `${file.path} has a tensor "${unknown}", for which the base model has no layer; ` +
        "load it with the model it was trained on",
    );
  }
  if (groups.size === 0) throw new ValidationError(`${file.path} has no tensors; save the adapter again`);
  return {
    rank,
    trainAttention: groups.has("attention"),
    trainMlp: groups.has("mlp"),
    trainUnembedding: groups.has("unembedding"),
  };
}

/** PEFT can adapt single projections; here a group is adapted as a whole. */
function remedy(found: readonly number[] | undefined): string {
  if (found !== undefined) return "load the adapter with the model it was trained on";
  return (
    "an adapter must change whole groups in every layer (q, k, v and o; gate, up and down; lm_head): load one trained so, " +
    "with the model it was trained on"
  );
}

function readFactors(
  file: SafetensorsFile,
  pair: Pick<AdapterPair, "module" | "dIn" | "dOut">,
  rank: number,
  prefix = "",
): AdapterTensors[number] {
  const { a, b } = peftTensors(pair, rank);
  const read = ({ name, shape }: typeof a) => {
    const found = file.shapeOf(prefix + name);
    if (found === undefined || found.length !== 2 || found[0] !== shape[0] || found[1] !== shape[1]) {
      const what = found === undefined ? "is missing" : `has shape [${found.join(", ")}]`;
      throw new ValidationError(
        `tensor "${prefix}${name}" ${what} in ${file.path}; rank ${rank} on this base model needs it as ` +
          `[${shape.join(", ")}]; ${remedy(found)}`,
      );
    }
    return file.read(prefix + name).data;
  };
  return { a: read(a), b: read(b) };
}
